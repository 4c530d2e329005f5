import FocusCore
package import FocusDevice
package import FocusSeal
package import FocusSync

/// Why an errand failed.
package enum ErrandFailure: Error, Sendable {
    case ended(SyncEnd)
    /// The server refused what was asked.
    case refused(Refusal)
    case timedOut
    /// Whoever asked for it waits no longer.
    case givenUp
    case noGroup
    case joining(JoiningFailure)
    case device(DeviceFailure)
    case seal(SealError)
    /// Something else, by its own description.
    case other(String)

    /// What an error of this laptop's means for an errand.
    package init(_ error: any Error) {
        switch error {
        case let failure as ErrandFailure: self = failure
        case let end as SyncEnd: self = .ended(end)
        case let failure as JoiningFailure: self = .joining(failure)
        case let failure as DeviceFailure: self = .device(failure)
        case let error as SealError: self = .seal(error)
        default: self = .other("\(error)")
        }
    }
}
