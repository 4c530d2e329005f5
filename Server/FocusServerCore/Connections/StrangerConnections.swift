import FocusNet
import FocusSync

/// The connections of strangers, by their address. Their number is limited for each address and in total. At
/// a limit, a new connection displaces the oldest one. An honest client is a stranger only for a moment, and
/// an idle client blocks nobody.
struct StrangerConnections {
    /// The maximum number of connections from one address block.
    private let limitPerBlock: Int
    /// The maximum number of connections in total.
    private let limit: Int
    /// The address block of each connection.
    private var blocks: [ConnectionID: AddressBlock] = [:]
    /// The connections from each address block, the oldest first.
    private var connections: [AddressBlock: OrderedKeys<ConnectionID>] = [:]
    /// The connections from all address blocks, the oldest first.
    private var order = OrderedKeys<ConnectionID>()

    init(perBlock: Int, limit: Int) {
        limitPerBlock = max(1, perBlock)
        self.limit = max(1, limit)
    }

    /// The number of connections.
    var count: Int { blocks.count }

    /// The number of address blocks that have a connection.
    var blockCount: Int { connections.count }

    /// The connections, the oldest first.
    var all: [ConnectionID] { order.all }

    func contains(_ connection: ConnectionID) -> Bool { blocks[connection] != nil }

    /// Adds a connection.
    ///
    /// - Returns: The displaced connection, which the caller has to end; nil if none is displaced.
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

    /// Removes a connection, because its device is known now or the connection is over.
    mutating func leave(_ connection: ConnectionID) {
        guard let block = blocks.removeValue(forKey: connection) else { return }
        order.remove(connection)
        connections[block]?.remove(connection)
        if connections[block]?.isEmpty == true { connections[block] = nil }
    }
}

/// The block of a client's address (`addressBlock`).
package struct AddressBlock: Hashable, Sendable {
    private enum Kind: Hashable {
        case four, six, local
    }

    private let kind: Kind
    /// The IPv4 address, or the first 64 bits of the IPv6 address.
    private let bits: UInt64

    private init(_ kind: Kind, _ bytes: some Sequence<UInt8>) {
        self.kind = kind
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// All clients of a local socket.
    package static let local = AddressBlock(.local, [])

    /// Creates the block of an address of 4 or 16 bytes; any other length is local.
    package init(address: [UInt8]) {
        let block = address.addressBlock
        switch block.count {
        case 4: self.init(.four, block)
        case 8: self.init(.six, block)
        default: self = .local
        }
    }
}
