package import FocusCore
import FocusSeal
import SystemKit

extension Platform {
    /// This machine. A device's key is in its file (`Home.identity`).
    package static let process = Platform(
        clocks: .process, hostName: systemHostName, zone: { .current },
        random: { (count) throws(SealError) in try SecretBytes.random(count: count) },
        hasKey: { access($0.identity, F_OK) == 0 },
        archiveKey: { (home, copy) throws(DeviceFailure) in
            guard rename(home.identity, copy.identity) == 0 || errno == ENOENT else {
                throw DeviceFailure(SystemError("\(home.identity) can't be moved to \(copy.data)"))
            }
        })

    /// Returns the machine's name without its domain.
    private static func systemHostName() -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, gethostname(start, buffer.count - 1) == 0 else { return "" }
            return String(cString: start)
        }
        return name.split(separator: ".").first.map(String.init) ?? "laptop"
    }
}

extension MachineClocks {
    /// The clocks of this machine.
    package static let process = MachineClocks(
        wall: { SharedInstant(milliseconds: SystemClock.wall()) }, sinceBoot: { .now },
        awake: { SteadyInstant(microseconds: SystemClock.microsecondsAwake()) }, boot: { SystemClock.boot })
}

extension SteadyInstant {
    /// The present instant on this machine.
    package static var now: SteadyInstant {
        SteadyInstant(microseconds: SystemClock.microsecondsSinceBoot())
    }
}
