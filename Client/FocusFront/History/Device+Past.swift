package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
package import FocusText
import FocusWords

extension Device {
    /// What somebody says they did, as it is to be added to the history.
    ///
    /// - Throws: where it can't have been.
    package func phase(of request: PastRequest, _ zone: LocalZone) throws(CommandFailure) -> PastPhase {
        let now = try using { device throws(StoreError) in try device.now() }
        let interval = try request.time.interval(now, zone)
        do throws(PastPhase.Problem) {
            return try PastPhase(request.activity, interval, label: request.label)
        } catch {
            throw CommandFailure(error.sentence(interval, zone), .usage)
        }
    }
}

extension PastRequest.Time {
    /// When it was.
    fileprivate func interval(_ now: SharedInstant, _ zone: LocalZone) throws(CommandFailure) -> Interval {
        switch self {
        case .between(let from, let to):
            return Interval(from: try from.instant(now, zone), to: try to?.instant(now, zone) ?? now)
        case .from(let from, let length):
            let start = try from.instant(now, zone)
            return Interval(from: start, to: start + length)
        case .upTo(let to, let length):
            let end = try to?.instant(now, zone) ?? now
            return Interval(from: end - length, to: end)
        }
    }
}

extension PastPhase.Problem {
    /// What is wrong with an interval that somebody gave.
    package func sentence(_ interval: Interval, _ zone: LocalZone) -> String {
        switch self {
        case .noLength:
            "It would end at \(zone.text(interval.to)), which isn't after its beginning at "
                + "\(zone.text(interval.from))."
        case .tooLong:
            "From \(zone.text(interval.from)) to \(zone.text(interval.to)) is longer than 24 hours, the most that "
                + "an entry can take."
        case .tooEarly: "An entry can't begin before 1970."
        }
    }
}
