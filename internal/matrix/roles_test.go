package matrix

// actMain plays a role if this process was started for one.
func actMain() {}
