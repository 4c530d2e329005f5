import FocusCore
import FocusServing
import FocusSync
import FocusWriter

/// Checks the number of connections, and which ones are ended if there are too many (docs/operations.md, "All
/// settings"; docs/protocol.md, "Errors"; docs/architecture.md, "The server's limits").
///
/// It isn't always visible from outside whether the server counts a connection as a device's or a stranger's.
/// If the difference matters, the check counts both the certain and the possible strangers.
struct ConnectionLimitCheck {
    let limits: ServerLimits
    /// All keys that were listed or let in. A connection with a key that isn't among them is certainly a
    /// stranger's.
    var named: Set<Digest> = []

    func isStranger(_ seen: SeenConnection) -> Bool { !seen.isKnown && !named.contains(seen.key) }

    // MARK: - Numbers

    /// Returns the excess of connections, or nil if there is none.
    ///
    /// - Parameter all: The connections that the server hasn't ended.
    func excess(_ all: [SeenConnection]) -> String? {
        let known = all.filter(\.isKnown)
        if known.count > limits.connections { return "\(known.count) connections of known devices" }
        for (key, its) in Dictionary(grouping: known, by: \.key) where its.count > limits.connectionsPerDevice
        {
            return "\(its.count) connections of \(key)"
        }
        for (group, its) in Dictionary(grouping: known.filter { $0.group != nil }, by: \.group) {
            // Each device may have one connection in spite of the limit.
            if its.count > limits.connectionsPerGroup, Set(its.map(\.key)).count < its.count {
                return "\(its.count) connections of \(group.map { "\($0)" } ?? "")"
            }
        }
        let strangers = all.filter(isStranger)
        if strangers.count > limits.strangers { return "\(strangers.count) strangers" }
        let crowded = Dictionary(grouping: strangers, by: \.block).first {
            $0.value.count > limits.strangersPerAddress
        }
        return crowded.map { "\($0.value.count) strangers from one address" }
    }

    /// Checks the decision to accept or to turn away one more connection beside `all`, which includes
    /// connections that are ending.
    ///
    /// - Returns: The breach, or nil if there is none.
    func grievance(letsCome: Bool, beside all: [SeenConnection]) -> String? {
        let most = limits.connections + 2 * limits.strangers
        let isRight = letsCome ? all.count { !$0.isCut } < most : all.count >= most
        return isRight ? nil : "\(letsCome ? "let come" : "turned away") beside \(all.count)"
    }

    // MARK: - Ended connections

    /// Returns the reason why a connection shouldn't have been ended for a new one, or nil if it should.
    func grievance(of leaving: SeenConnection, for newcomer: SeenConnection, _ all: [SeenConnection])
        -> String?
    {
        if leaving === newcomer {
            let others = all.count { $0 !== newcomer && !isStranger($0) }
            return others >= limits.connections ? nil : "turned away beside \(others) others"
        }
        let isRight =
            givesWay(leaving, ofDeviceTo: newcomer, all) || givesWay(leaving, inGroupTo: newcomer, all)
            || givesWay(leaving, inDoorwayTo: newcomer, all)
        guard !isRight else { return nil }
        let mates = all.count { $0.key == leaving.key }
        return "one of \(mates) of \(leaving.key), of \(all.count), for one of \(newcomer.key)"
    }

    /// Whether the connection may be the oldest of its device. The server orders connections by their hellos,
    /// which may be up to 2 seconds after their arrivals.
    private func isOldest(_ leaving: SeenConnection, _ all: [SeenConnection]) -> Bool {
        !all.contains {
            $0.key == leaving.key && $0.isKnown && $0.rank < leaving.rank
                && $0.came + .seconds(2) < leaving.came
        }
    }

    private func givesWay(
        _ leaving: SeenConnection, ofDeviceTo newcomer: SeenConnection, _ all: [SeenConnection]
    ) -> Bool {
        leaving.key == newcomer.key && isOldest(leaving, all)
            && all.count { $0.key == newcomer.key } > limits.connectionsPerDevice
    }

    /// Whether the leaving connection may be ended for its group's limit: its device has several connections,
    /// and no device of the group has more.
    private func givesWay(
        _ leaving: SeenConnection, inGroupTo newcomer: SeenConnection, _ all: [SeenConnection]
    ) -> Bool {
        let group = all.filter { $0.group == nil || leaving.group == nil || $0.group == leaving.group }
        let own = group.count { $0.key == leaving.key }
        let counts = Dictionary(grouping: group.filter { $0.group != nil }, by: \.key).mapValues(\.count)
        return isOldest(leaving, all) && group.count > limits.connectionsPerGroup && own > 1
            && own >= counts.values.max() ?? 0
    }

    /// Whether the leaving connection has been a stranger's for the longest time. The comparison is with strangers from
    /// the newcomer's address if that address has too many of them, otherwise with all strangers.
    private func givesWay(
        _ leaving: SeenConnection, inDoorwayTo newcomer: SeenConnection, _ all: [SeenConnection]
    ) -> Bool {
        guard !leaving.isKnown else { return false }
        func isTooMuch(_ place: [SeenConnection], _ most: Int) -> Bool {
            place.count > most && !place.contains { isStranger($0) && $0.rank < leaving.rank }
        }
        let unknown = all.filter { !$0.isKnown }
        let neighbours = unknown.filter { $0.block == newcomer.block }
        if leaving.block == newcomer.block, isTooMuch(neighbours, limits.strangersPerAddress) { return true }
        let certain = neighbours.count { $0 !== newcomer && isStranger($0) }
        return certain < limits.strangersPerAddress && isTooMuch(unknown, limits.strangers)
    }
}

/// Checks the number of requests to be let in with an invite that come from one address.
struct EnrolmentCheck {
    let perMinute: Int
    private var attempts: [AddressBlock: [Int64]] = [:]

    init(_ limits: ServerLimits) { perMinute = limits.enrolmentsPerMinute }

    private func count(_ block: AddressBlock, at now: Int64) -> Int {
        attempts[block]?.count { now - $0 < .minutes(1) } ?? 0
    }

    /// Notes that a device from this address asks, and that the server checks its invite.
    ///
    /// - Returns: The excess, or nil if there is none.
    mutating func note(_ block: AddressBlock, at now: Int64) -> String? {
        attempts[block] = (attempts[block] ?? []).filter { now - $0 < .minutes(1) } + [now]
        // The rate limiter allows a minute's number at once, and as many again during that minute.
        let count = count(block, at: now)
        return count <= 2 * perMinute ? nil : "\(count) in a minute"
    }

    /// Whether the server may refuse a device from this address because of too many requests.
    func isCrowded(_ block: AddressBlock, at now: Int64) -> Bool { count(block, at: now) >= perMinute - 1 }
}
