import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    /// With version 2 of the PROXY protocol, in which a load balancer names the client of a connection.
    @Suite("Behind a balancer")
    struct BalancerTests {
        /// Runs a test with a server that has these settings and serves metrics at a port of its own.
        private func with(_ settings: String, _ body: (Server, UInt16) throws -> Void) throws {
            try World.with { world in
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.set(settings)
                try world.server.start()
                try body(world.server, #require(world.server.port))
            }
        }

        /// Connects and sends these bytes.
        private func connect(_ port: UInt16, saying first: [UInt8]) throws -> LoopbackSocket {
            guard let socket = LoopbackSocket(connectedTo: port) else { throw Unmet("\(port) takes nobody") }
            socket.send(first)
            return socket
        }

        @Test("proxies that are everybody are warned of")
        func everybody() throws {
            try with("proxies = 0.0.0.0/0\n") { server, _ in
                let lines = try server.logLines("level=warning event=proxies-everybody")
                #expect(lines.count == 1)
            }
        }

        @Test(
            "who looks whether the server is there, and leaves without a word of TLS, is no failed handshake",
            arguments: [ProxyBytes.own, ProxyBytes.client])
        func looking(header: [UInt8]) throws {
            try with("proxies = 127.0.0.1\n") { server, port in
                for count in 1...3 {
                    _ = try connect(port, saying: header)
                    try eventually("it has come and gone") {
                        try server.logLines("level=debug event=said-nothing").count == count
                    }
                }
                let name = "focusd_handshake_failures_total"
                func failures() throws -> Double {
                    try server.samples().filter { $0.key.hasPrefix(name) }.values.reduce(0, +)
                }
                #expect(try failures() == 0)
                // A client that begins a handshake and breaks it off counts as a failure.
                _ = try connect(port, saying: header + [22])
                try eventually("it is counted") { try failures() == 1 }
            }
        }
    }
}
