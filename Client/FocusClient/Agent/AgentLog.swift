import FocusDevice
import FocusText

/// What the agent says of itself, a line each on standard error: never a key, a token or a label.
struct AgentLog {
    private let console: Console
    private let clocks: MachineClocks

    init(_ console: Console, _ clocks: MachineClocks) {
        self.console = console
        self.clocks = clocks
    }

    func write(_ line: String) {
        console.messages("\(Instant.text(clocks.wall())) \(line)\n")
    }
}
