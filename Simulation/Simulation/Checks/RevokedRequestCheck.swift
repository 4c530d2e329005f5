import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks that no request of a key is handled after its group has revoked the key (docs/protocol.md, "Epochs
/// and revocations").
struct RevokedRequestCheck {
    private struct Place: Hashable {
        let key: Digest
        let group: GroupID
    }

    private var shutOut: Set<Place> = []
    /// The key and the group of each connection with requests.
    private var places: [ConnectionID: Place] = [:]
    /// The connections on which a key lists itself as revoked. A laptop does so when it learns of its
    /// revocation. Requests that it sent together with this entry are still answered.
    private var ownWish: Set<ConnectionID> = []

    /// Notes a request that the writer begins to handle.
    mutating func note(_ request: WriterRequest) {
        guard case .member(let request) = request else { return }
        places[request.connection] = Place(key: request.device, group: request.group)
        guard case .group(.roster(let roster)) = request.asked else { return }
        if roster.contains(where: { $0.isRevoked && $0.device == request.device }) {
            ownWish.insert(request.connection)
        }
    }

    /// Checks the results of a batch, in order.
    ///
    /// - Returns: A description of a revoked key with a handled request, or nil if there is none.
    mutating func note(_ outcomes: [WriterOutcome]) -> String? {
        for outcome in outcomes {
            switch outcome {
            case .groupAdded(let log): forget(log.name.group)
            case .device(let device):
                if device.revoked != nil { shutOut.insert(Place(key: device.key, group: device.group)) }
            case .merged(_, _, let stop, let connection):
                // The server answers like this if the lookup of the key failed.
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

    /// Forgets a group that the operator has deleted, or that is brought again.
    mutating func forget(_ group: GroupID) { shutOut = shutOut.filter { $0.group != group } }
}
