package import FocusCore
import FocusDevice
import FocusWords

extension DeviceList.Entry {
    /// What there is to say of it, for people.
    ///
    /// - Parameter now: In shared time.
    package func remarks(at now: SharedInstant) -> [String] {
        var remarks: [String] = []
        if isThis { remarks.append("this laptop") }
        if isRevoked { remarks.append(shutOut(at: now)) }
        if isReadmitted { remarks.append("taken back, may join anew") }
        if isLate { remarks.append("waiting to be accepted") }
        if isOnline { remarks.append("online") }
        if let newSince {
            remarks.append("new, got the group's key \(AgoText.text(now - newSince))")
        }
        guard isNamed else { return remarks + ["listed by the server, named by no laptop"] }
        if hasLeft { return remarks }
        let ago = lastEvent.map { "last used \(AgoText.text(now - $0))" }
        return remarks + [ago ?? "not used yet"]
    }

    /// Who shut it out, and when, or when it left.
    private func shutOut(at now: SharedInstant) -> String {
        switch revocation {
        case nil: "shut out"
        case .server: "shut out by the server"
        case .device(let name, let time): "shut out by \(name) \(AgoText.text(now - time))"
        case .itself(let time): "left \(AgoText.text(now - time))"
        }
    }
}
