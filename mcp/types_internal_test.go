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
