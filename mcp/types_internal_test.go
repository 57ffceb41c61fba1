package mcp

// The tests of protocol types include those that programs never see, which have
// no methods for encoding/json outside of the tests.

func (t clientCapabilities) MarshalJSON() ([]byte, error)     { return encode(&t) }
func (t *clientCapabilities) UnmarshalJSON(data []byte) error { return decode(data, t) }

func (t discoverResult) MarshalJSON() ([]byte, error)     { return encode(&t) }
func (t *discoverResult) UnmarshalJSON(data []byte) error { return decode(data, t) }

func (t listRootsResult) MarshalJSON() ([]byte, error)     { return encode(&t) }
func (t *listRootsResult) UnmarshalJSON(data []byte) error { return decode(data, t) }

func (t listTasksResult) MarshalJSON() ([]byte, error)     { return encode(&t) }
func (t *listTasksResult) UnmarshalJSON(data []byte) error { return decode(data, t) }
