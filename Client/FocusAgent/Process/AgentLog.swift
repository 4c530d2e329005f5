import FocusDevice
import FocusText

/// What the agent says of itself, a line each on standard error: never a key, a token or a label.
struct AgentLog {
    private let messages: (String) -> Void
    private let clocks: MachineClocks

    /// - Parameter messages: takes each line.
    init(_ clocks: MachineClocks, messages: @escaping (String) -> Void) {
        self.messages = messages
        self.clocks = clocks
    }

    func write(_ line: String) {
        messages("\(InstantText.text(clocks.wall())) \(line)\n")
    }
}
