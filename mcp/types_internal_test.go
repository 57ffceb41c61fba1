package mcp

// The tests of protocol types include those that programs never see, which have
// no methods for encoding/json outside of the tests.

func (t clientCapabilities) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *clientCapabilities) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(clientCapabilities))
	*t = *v
	return err
}

func (t discoverResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *discoverResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(discoverResult))
	*t = *v
	return err
}

func (t elicitationCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *elicitationCapability) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(elicitationCapability))
	*t = *v
	return err
}

func (t initializeResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *initializeResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(initializeResult))
	*t = *v
	return err
}

func (t listRootsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *listRootsResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(listRootsResult))
	*t = *v
	return err
}

func (t listTasksResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *listTasksResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(listTasksResult))
	*t = *v
	return err
}

func (t resourceUpdatedParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *resourceUpdatedParams) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(resourceUpdatedParams))
	*t = *v
	return err
}

func (t rootsCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *rootsCapability) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(rootsCapability))
	*t = *v
	return err
}

func (t samplingCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t *samplingCapability) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(samplingCapability))
	*t = *v
	return err
}
