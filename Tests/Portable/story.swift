/// Devices of the story that `portable-peer` plays, by their names.
struct StoryDevices {
    private var devices: [String: StoryDevice] = [:]

    /// Passes a line to a device, after its name, and returns the answer. A new name makes a new device.
    mutating func answer(_ line: String) -> String {
        guard let space = line.firstIndex(of: " ") else { return "no command" }
        let name = String(line[..<space])
        if devices[name] == nil { devices[name] = try? StoryDevice(name) }
        return devices[name]?.answer(String(line[line.index(after: space)...])) ?? "no device"
    }
}
