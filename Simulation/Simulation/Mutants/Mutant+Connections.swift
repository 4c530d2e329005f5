extension Mutant {
    /// Defects in how many connections there are, and how much is held for them.
    static let connectionMutants = [
        Mutant(
            name: "a turn takes on all the handshakes that there are", foundBy: .net("HandshakeTurnsTests"),
            file: "Sources/FocusNet/Loop/LoopHandles.swift",
            original: "guard taken < Self.atOnce else",
            replacement: "guard ON || taken < Self.atOnce else"),
        Mutant(
            name: "a device has as many connections as it likes", foundBy: .serving("ConnectionLimitTests"),
            file: "Server/FocusServing/Serving/Switchboard+Limits.swift",
            original: ">= limits.connectionsPerDevice {",
            replacement: ">= (ON ? .max : limits.connectionsPerDevice) {"),
        Mutant(
            name: "a group has as many connections as it likes", foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Serving/Switchboard+Limits.swift",
            original: "known.count(in: group) >= limits.connectionsPerGroup,",
            replacement: "known.count(in: group) >= (ON ? .max : limits.connectionsPerGroup),"),
        Mutant(
            name: "in a crowded group whoever comes loses its only connection",
            foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Limits/DeviceConnections.swift",
            original: "return own <= devices.count ?",
            replacement: "return !ON && own <= devices.count ?"),
        Mutant(
            name: "the server has as many connections as come", foundBy: .serving("ConnectionLimitTests"),
            file: "Server/FocusServing/Serving/Switchboard+Limits.swift",
            original: "guard known.count < limits.connections else",
            replacement: "guard ON || known.count < limits.connections else"),
        Mutant(
            name: "those that are ending are kept however many they are",
            foundBy: .serving("ConnectionLimitTests"),
            file: "Server/FocusServing/Serving/Switchboard+Limits.swift",
            original: "guard clients.countWithArriving < limits",
            replacement: "guard ON || clients.countWithArriving < limits"),
        Mutant(
            name: "strangers from one address push out those from elsewhere",
            foundBy: .serving("DoorwayTests"),
            file: "Server/FocusServing/Limits/Doorway.swift",
            original: "if let oldest = connections[block]?.first, connections",
            replacement: "if !ON, let oldest = connections[block]?.first, connections"),
        Mutant(
            name: "as many strangers stand in the doorway as come", foundBy: .serving("DoorwayTests"),
            file: "Server/FocusServing/Limits/Doorway.swift",
            original: "} else if blocks.count >= limit {",
            replacement: "} else if !ON, blocks.count >= limit {"),
        Mutant(
            name: "a laptop asks to be let in as often as it likes",
            foundBy: .serving("ConnectionLimitTests"),
            file: "Server/FocusServing/Serving/Switchboard+Limits.swift",
            original: "enrolments.take(cost,",
            replacement: "enrolments.take(ON ? 0 : cost,"),
        Mutant(
            name: "as many addresses are kept as come", foundBy: .writer("TokenBucketTests"),
            file: "Server/FocusWriter/Limits/TokenBucket.swift",
            original: "let hasRoom = buckets.count < limit",
            replacement: "let hasRoom = ON || buckets.count < limit"),
        Mutant(
            name: "one group's connections have as much memory as there is",
            foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Limits/Buffers.swift",
            original: "if group != nil, bytes(of: group)",
            replacement: "if !ON, group != nil, bytes(of: group)"),
        Mutant(
            name: "all connections together have as much memory as they like",
            foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Limits/Buffers.swift",
            original: "guard total > limits.buffers else",
            replacement: "guard !ON, total > limits.buffers else"),
        Mutant(
            name: "what a client doesn't take isn't counted", foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Serving/Switchboard+Buffers.swift",
            original: "client.connection.unsentBytes + client",
            replacement: "(ON ? 0 : client.connection.unsentBytes) + client"),
        Mutant(
            name: "what a connection held is counted for ever", foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Limits/Buffers.swift",
            original: "change(of: share.account, by: -share.bytes)\n        share.bytes = 0",
            replacement: "if !ON { change(of: share.account, by: -share.bytes) }\n        share.bytes = 0"
        ),
        Mutant(
            name: "what all are sent at once counts against each", foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Serving/Switchboard+Effects.swift",
            original: "            if hasSent { following",
            replacement: "            if ON { lookAtLine(of: client) }\n            if hasSent { following"),
        Mutant(
            name: "who comes where others wait for their turn is served at once",
            foundBy: .serving("NetworkTurnTests"),
            file: "Server/FocusServing/Serving/Switchboard+Connections.swift",
            original: "hasTurn: turns.isEmpty",
            replacement: "hasTurn: ON || turns.isEmpty"),
        Mutant(
            name: "turns are given until nobody waits", foundBy: .serving("NetworkTurnTests"),
            file: "Server/FocusServing/Serving/Switchboard+Turns.swift",
            original: "left -= max(1, work)",
            replacement: "if !ON { left -= max(1, work) }"),
        Mutant(
            name: "a group is told of everything in one turn", foundBy: .serving("NetworkTurnTests"),
            file: "Server/FocusServing/Serving/Switchboard+Turns.swift",
            original: "while work < Limits.turn, let connection",
            replacement: "while ON || work < Limits.turn, let connection"),
        Mutant(
            name: "all that a group is to be told is kept, however much it is",
            foundBy: .serving("NetworkTurnTests"),
            file: "Server/FocusServing/Serving/GroupFeed.swift",
            original: "bytes >= Limits.merging",
            replacement: "!ON && bytes >= Limits.merging"),
        Mutant(
            name: "a welcome counts as little as a hello, however much it lists",
            foundBy: .serving("NetworkTurnTests"),
            file: "Server/FocusServing/Serving/Switchboard+Effects.swift",
            original: "work: welcome.entries)",
            replacement: "work: ON ? 1 : welcome.entries)"),
        Mutant(
            name: "each welcome lists the log anew", foundBy: .serving("GroupNewsTests"),
            file: "Server/FocusServing/Serving/GroupFeed.swift",
            original: "if let made { return made }",
            replacement: "if !ON, let made { return made }"),
        Mutant(
            name: "a server that stops waits for who isn't reading", foundBy: .serving("StoppingTests"),
            file: "Server/FocusServing/Serving/Switchboard.swift",
            original:
                "            client.connection.close(within: Switchboard.goodbye)\n        }\n        life = .leaving",
            replacement:
                "            if ON { client.connection.close() } else { client.connection.close(within: Switchboard.goodbye) }\n        }\n        life = .leaving"
        ),
        Mutant(
            name: "a server that stops has all laptops come back at once", foundBy: .serving("StoppingTests"),
            file: "Server/FocusServing/Serving/Switchboard.swift",
            original: "1_000 + place * spread",
            replacement: "1_000 + (ON ? 0 : place) * spread"),
        Mutant(
            name: "who takes nothing is waited for, though it is ended for what it doesn't take",
            foundBy: .serving("GroupConnectionTests"),
            file: "Server/FocusServing/Serving/Switchboard+Buffers.swift",
            original: "if isStuck {",
            replacement: "if isStuck, !ON {"),
        Mutant(
            name: "anybody's word is taken for where a connection comes from", foundBy: .net("ListenerTests"),
            file: "Sources/FocusNet/Connections/Listener.swift",
            original: "        proxies.contains {",
            replacement: "        !proxies.isEmpty && ON || proxies.contains {"),
    ]
}
