import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
import FocusStore
import FocusSync

// The results of group operations that follow from the device's log. Commands wait for an operation
// (`LiveGroupOperations`), a browser gets a callback. Both use these functions.

extension GroupOperationError.Standing {
    /// Returns the state of a device after an operation failed. The cause `.ended` means that the connection
    /// ended or couldn't be made, `.givenUp` that the caller cancelled. A join may have taken effect before
    /// that, so the log is read again.
    ///
    /// - Parameters:
    ///   - wasInGroup: Whether the device was in a group before the operation.
    ///   - open: Returns the device. Called only if the log matters.
    package static func after(
        _ cause: GroupOperationError.Cause, of operation: GroupOperation, wasInGroup: Bool,
        opening open: () throws(GroupOperationError) -> Device
    ) throws(GroupOperationError) -> GroupOperationError.Standing {
        switch (cause, operation) {
        case (.ended, .sync): return .unsynced
        case (.ended, .join), (.timedOut, .join), (.givenUp, .join):
            return wasInGroup ? .asBefore : try open().isInGroup() ? .inside : .outside
        case (.ended, .invite), (.timedOut, .invite): return .withoutInvite
        case (_, .revoke(let keys)):
            let isDecided = try open().attemptOperation { device throws(StoreError) in
                let rulings = try device.store.state().rulings
                return keys.allSatisfy { rulings[$0]?.isRevoked == true }
            }
            return isDecided ? .decidedHere : .notDone
        case (_, .accept(let key)):
            let isDecided = try open().attemptOperation { device throws(StoreError) in
                try device.store.groupKeys().isAccepted(key)
            }
            return isDecided ? .decidedHere : .notDone
        default: return .notDone
        }
    }
}

extension Device {
    /// Returns whether the device is in a group.
    func isInGroup() throws(GroupOperationError) -> Bool {
        try attemptOperation { device throws(StoreError) in try device.store.group() != nil }
    }

    /// Runs `body`, and rethrows an error of the log as the failure of an operation.
    func attemptOperation<Result>(
        _ body: (Device) throws(StoreError) -> Result
    ) throws(GroupOperationError) -> Result {
        do throws(DeviceFailure) { return try attempt(body) } catch {
            throw GroupOperationError(.device(error))
        }
    }
}

extension PublishedInvite {
    /// The invite with a secret that the server of a group has stored.
    ///
    /// - Parameter page: The address of the page for its link. If this is nil or has no HTTPS, it is the address
    ///   that the server has announced.
    /// - Throws: `GroupOperationError` if the device is in no group any more, or no text can be made.
    package init(
        _ secret: InviteSecret, of membership: Membership?, at page: String? = nil, notices: [SyncNotice]
    ) throws(GroupOperationError) {
        guard let membership else { throw GroupOperationError(.noGroup) }
        do throws(SealError) {
            self.init(
                text: try membership.invite(secret).text(),
                page: page.flatMap { WebAddress($0) } ?? membership.page, notices: notices)
        } catch {
            throw GroupOperationError(.seal(error))
        }
    }
}

extension OperationRunner {
    /// Runs an operation on a device's own thread, without waiting for its end. Returns its runner, which can
    /// give it up, and which has to be kept until the report.
    ///
    /// - Parameters:
    ///   - patience: The longest time that the operation may take.
    ///   - routes: Returns the routes to a server.
    ///   - report: Receives the result, once, perhaps before this function returns. A failure has the state
    ///     in which it leaves the device.
    package static func start(
        _ operation: GroupOperation, within patience: Duration = GroupOperation.patience, on device: Device,
        by routes: @escaping ServerRoutesProvider, time: any Scheduler,
        report: @escaping (Result<GroupOperationResult, GroupOperationError>) -> Void
    ) -> OperationRunner {
        let wasInGroup = (try? device.isInGroup()) ?? false
        let current = StartedRunner()
        let runner = OperationRunner(device, by: routes, time: time) { result in
            let notices = current.runner?.notices ?? []
            current.runner = nil
            guard case .failure(let failure) = result else { return report(result) }
            do throws(GroupOperationError) {
                let standing = try GroupOperationError.Standing.after(
                    failure.cause, of: operation, wasInGroup: wasInGroup
                ) { () throws(GroupOperationError) in device }
                report(.failure(GroupOperationError(failure.cause, standing, notices: notices)))
            } catch {
                report(.failure(error))
            }
        }
        current.runner = runner
        runner.run(operation, within: patience)
        return runner
    }
}

/// The runner of an operation, until its report.
private final class StartedRunner {
    var runner: OperationRunner?
}
