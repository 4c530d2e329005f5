package import FocusCore
package import FocusDevice

/// The time of a call from the browser.
package struct BrowserTime: Hashable, Sendable {
    /// The wall clock.
    package let wall: SharedInstant
    /// A clock that never goes back. While the machine sleeps, it stands still in some browsers.
    package let steady: SteadyInstant

    /// A time of these parts.
    package init(wall: SharedInstant, steady: SteadyInstant) {
        self.wall = wall
        self.steady = steady
    }

    /// The time of clocks in milliseconds. A number that no clock can show counts as zero.
    package init(wall: Double, steady: Double) {
        self.init(
            wall: SharedInstant(milliseconds: BrowserTime.whole(wall)),
            steady: SteadyInstant(microseconds: BrowserTime.whole(steady * 1_000)))
    }

    private static func whole(_ number: Double) -> Int64 { Int64(exactly: number.rounded(.down)) ?? 0 }
}

/// The clocks of a device in a browser, as of the present call.
package final class BrowserClocks {
    private var time: BrowserTime
    private var boot: String
    private let makeBoot: () -> String

    /// The greatest difference between the advances of the two clocks. Beyond it, the wall clock was set, or the
    /// steady one stood still.
    private static let tolerance = Duration.seconds(2)

    /// Clocks that show `time`.
    ///
    /// - Parameter makeBoot: Returns a new name for a boot.
    package init(_ time: BrowserTime, makeBoot: @escaping () -> String) {
        self.time = time
        self.makeBoot = makeBoot
        boot = makeBoot()
    }

    /// The steady clock.
    package var steady: SteadyInstant { time.steady }

    /// Sets the clocks. If their advances differ too much, or the steady clock went back, a new boot begins:
    /// intervals since earlier readings mean nothing.
    ///
    /// - Returns: Whether a new boot begins.
    package func advance(to new: BrowserTime) -> Bool {
        let (wall, steady) = (new.wall - time.wall, new.steady - time.steady)
        let isNewBoot = steady < .zero || (wall - steady).magnitude > BrowserClocks.tolerance
        time = BrowserTime(wall: new.wall, steady: max(new.steady, time.steady))
        if isNewBoot { boot = makeBoot() }
        return isNewBoot
    }

    /// The clocks for a `Platform`. No suspension is ever detected: a browser can't tell one from a tab that
    /// it stopped.
    package var machine: MachineClocks {
        // The device and the browser's calls share one thread.
        nonisolated(unsafe) let clocks = self
        return MachineClocks(
            wall: { clocks.time.wall }, sinceBoot: { clocks.time.steady }, awake: { clocks.time.steady },
            boot: { clocks.boot })
    }
}
