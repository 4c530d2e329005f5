import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Nothing that a key asks for is done once its group has shut it out (docs/protocol.md, "Epochs and revocations": "From
/// then on the server refuses its key and whatever it still sends").
struct ShutOutCheck {
    private struct Place: Hashable {
        let key: Digest
        let group: GroupID
    }

    private var shutOut: Set<Place> = []
    /// Who asks on each connection.
    private var places: [ConnectionID: Place] = [:]
    /// The connections on which keys have themselves shut out, as a laptop does that was told so: what else they say in the
    /// same breath is answered.
    private var ownWish: Set<ConnectionID> = []

    /// Notes what the writer takes up.
    mutating func note(_ request: WriterRequest) {
        guard case .member(let request) = request else { return }
        places[request.connection] = Place(key: request.device, group: request.group)
        guard case .group(.roster(let roster)) = request.asked else { return }
        if roster.contains(where: { $0.isRevoked && $0.device == request.device }) {
            ownWish.insert(request.connection)
        }
    }

    /// Notes what a batch came to, in its order.
    ///
    /// - Returns: who is heard and shouldn't be; nil where nobody is.
    mutating func note(_ outcomes: [WriterOutcome]) -> String? {
        for outcome in outcomes {
            switch outcome {
            case .groupAdded(let log): forget(log.name.group)
            case .device(let device):
                if device.revoked != nil { shutOut.insert(Place(key: device.key, group: device.group)) }
            case .merged(_, _, let stop, let connection):
                // Who couldn't be looked up is told that.
                if stop?.code == .noRoom || stop?.code == .internal { continue }
                if let trouble = look(at: connection) { return trouble }
            case .answered(.handled, let connection):
                if let place = places[connection], shutOut.contains(place) { ownWish.remove(connection) }
            case .answered(.refused, let connection) where ownWish.contains(connection): continue
            case .answered(.refused(_, let refusal), _)
            where refusal.code == .noRoom || refusal.code == .internal:
                continue
            case .answered(_, let connection), .epochAdded(_, _, let connection?):
                if let trouble = look(at: connection) { return trouble }
            default: continue
            }
        }
        return nil
    }

    private func look(at connection: ConnectionID) -> String? {
        guard let place = places[connection], shutOut.contains(place) else { return nil }
        return "\(place.key) is shut out of \(place.group), and is heard"
    }

    /// The operator took a group off, or somebody brings it anew.
    mutating func forget(_ group: GroupID) { shutOut = shutOut.filter { $0.group != group } }
}
