import FocusNet
import FocusSync
import FocusWriter

/// The connections whose device isn't known yet, or isn't known at all, by where they come from: there are so many
/// from one address at most, and so many in all. Whoever comes then pushes out who has stood there the longest:
/// one that gets on is through in a moment, and those who only stand there hold nobody up.
struct Doorway {
    private let limitPerBlock: Int
    private let limit: Int
    private var blocks: [ConnectionID: AddressBlock] = [:]
    /// The oldest first.
    private var connections: [AddressBlock: OrderedKeys<ConnectionID>] = [:]
    /// The same of all addresses.
    private var order = OrderedKeys<ConnectionID>()

    init(perBlock: Int, limit: Int) {
        limitPerBlock = max(1, perBlock)
        self.limit = max(1, limit)
    }

    /// How many there are.
    var count: Int { blocks.count }

    /// From how many addresses.
    var blockCount: Int { connections.count }

    /// Who they are.
    var all: [ConnectionID] { order.all }

    func contains(_ connection: ConnectionID) -> Bool { blocks[connection] != nil }

    /// Another one came.
    ///
    /// - Returns: who has to go for it.
    mutating func arrive(_ connection: ConnectionID, from block: AddressBlock) -> ConnectionID? {
        guard blocks[connection] == nil else { return nil }
        var leaving: ConnectionID?
        if let oldest = connections[block]?.first, connections[block]?.count ?? 0 >= limitPerBlock {
            leaving = oldest
        } else if blocks.count >= limit {
            leaving = order.first
        }
        if let leaving { leave(leaving) }
        blocks[connection] = block
        connections[block, default: OrderedKeys()].append(connection)
        order.append(connection)
        return leaving
    }

    /// It is known now, or over.
    mutating func leave(_ connection: ConnectionID) {
        guard let block = blocks.removeValue(forKey: connection) else { return }
        order.remove(connection)
        connections[block]?.remove(connection)
        if connections[block]?.isEmpty == true { connections[block] = nil }
    }
}

/// Where a client comes from, as far as one user can be told from another: an IPv4 address, or the 64 bits of an IPv6
/// address that name a network, within which everybody may choose addresses.
package struct AddressBlock: Hashable, Sendable {
    private enum Kind: Hashable {
        case four, six, local
    }

    private let kind: Kind
    private let bits: UInt64

    private init(_ kind: Kind, _ bytes: some Sequence<UInt8>) {
        self.kind = kind
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Everybody on the other side of a local socket.
    package static let local = AddressBlock(.local, [])

    /// The block that holds an address of 4 or 16 bytes; any other is local.
    package init(address: [UInt8]) {
        let address = address.unmappedAddress
        switch address.count {
        case 4: self.init(.four, address)
        case 16: self.init(.six, address.prefix(8))
        default: self = .local
        }
    }
}
