package import CommandLineKit
package import FocusContact
package import FocusDevice
import FocusLink
import FocusStore
import FocusSync

// The group operations of all front ends, with their results as sentences. Each waits until its operation is done.

extension GroupOperations {
    /// Revokes laptops, and returns the result as sentences. Laptops that a revoked one may have let in
    /// (`found.recent`) stay, and are marked as new.
    package func revoke(_ found: DeviceSelector.Revocable, of device: Device) throws(CommandFailure)
        -> [String]
    {
        try device.using { device throws(StoreError) in try device.markNew(found) }
        return try found.sentences(
            after: Result { () throws(GroupOperationError) in try revoke(found.keys) })
    }

    /// Accepts a laptop, and returns the result as sentences.
    package func accept(_ found: DeviceSelector.Match) throws(CommandFailure) -> [String] {
        try found.sentences(
            afterAcceptance: Result { () throws(GroupOperationError) in try accept(found.key) })
    }
}

// Group operations of views that have already asked the person.
extension GroupOperations {
    /// Revokes the laptops of these words, and returns the result as sentences.
    ///
    /// - Parameter revokesOnlyNamed: Whether only these laptops are revoked. If false, all laptops that only
    ///   the server lists are revoked too.
    package func revoke(
        _ words: [String], revokesOnlyNamed: Bool, of device: Device
    ) throws(CommandFailure) -> [String] {
        try revoke(try device.revocable(words, revokesOnlyNamed: revokesOnlyNamed), of: device)
    }

    /// Accepts the laptop of a word, and returns the result as sentences.
    package func accept(_ word: String, of device: Device) throws(CommandFailure) -> [String] {
        try accept(try device.acceptable(word))
    }

    /// Leaves the group, unless the server can't be told and the person hasn't agreed to that.
    ///
    /// - Parameter isUntold: Whether to leave without telling the server, after a first attempt failed.
    package func leave(_ device: Device, untold isUntold: Bool) throws(CommandFailure) -> LeaveResult {
        try mapFailure { () throws(DeviceFailure) in try device.requireGroup() }
        let result = try device.leave(
            after: isUntold ? .success(false) : Result { () throws(GroupOperationError) in try leave() })
        guard case .done(let done) = result else { return result }
        return .done(done + announceLocalChanges(on: device).map { $0.sentence })
    }
}
