import FocusDevice

/// The machine's sleeps that an agent has found, up to where they are dealt with.
struct FoundSleeps {
    private var watch: SleepWatch
    /// Those that the log's file has yet to take note of, the oldest first.
    private var unrecorded: [SleepWatch.Found] = []
    /// Whether the machine has slept since the agent last looked around: its connection is likely dead.
    private(set) var hasWoken = false

    /// From now on, by these clocks.
    init(_ clocks: MachineClocks) { watch = SleepWatch(clocks) }

    /// Whether the log's file has yet to take note of any.
    var areUnrecorded: Bool { !unrecorded.isEmpty }

    /// Looks at the clocks.
    mutating func check() {
        guard let found = watch.check() else { return }
        unrecorded.append(found)
        hasWoken = true
    }

    /// The connection was seen to.
    mutating func wokeUp() { hasWoken = false }

    /// Has the log's file take note of each in turn. Where that fails, the rest stay.
    mutating func record(_ body: (SleepWatch.Found) throws -> Void) rethrows {
        while let found = unrecorded.first {
            try body(found)
            unrecorded.removeFirst()
        }
    }
}
