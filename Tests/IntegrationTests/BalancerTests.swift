import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    /// With the PROXY protocol's version 2, by which a balancer says whose connection it passes on.
    @Suite("Behind a balancer")
    struct BalancerTests {
        /// Runs a test with a server that has these settings, and serves metrics at a port of its own.
        private func with(_ settings: String, _ body: (Server, UInt16) throws -> Void) throws {
            try World.with { world in
                world.server.metrics = "127.0.0.1:\(try freePort())"
                try world.server.set(settings)
                try world.server.start()
                try body(world.server, #require(world.server.port))
            }
        }

        /// Connects, and says this first.
        private func connect(_ port: UInt16, saying first: [UInt8] = []) throws -> LoopbackSocket {
            guard let socket = LoopbackSocket(connectedTo: port) else { throw Unmet("\(port) takes nobody") }
            socket.send(first)
            return socket
        }

        @Test("proxies that are everybody are warned of", arguments: [("0.0.0.0/0", 1), ("10.0.0.0/8", 0)])
        func everybody(proxies: String, warnings: Int) throws {
            try with("proxies = \(proxies)\n") { server, _ in
                let said = try server.logLines("level=warning event=proxies-everybody")
                #expect(said.count == warnings)
            }
        }

        @Test("strangers push out only who comes from the same address, as the balancer tells it")
        func addresses() throws {
            try with("proxies = 127.0.0.1\nstrangers-per-address = 1\n") { server, port in
                let first = try connect(port, saying: ProxyBytes.client(from: [192, 0, 2, 7]))
                let other = try connect(port, saying: ProxyBytes.client(from: [192, 0, 2, 8]))
                let second = try connect(port, saying: ProxyBytes.client(from: [192, 0, 2, 7]))
                try eventually("one of the two from there is pushed out") {
                    try server.logLines("event=handshake-failed peer=192.0.2.7:4242").count == 1
                }
                #expect(try other.isHungUp(after: "GET / HTTP/1.1\r\n\r\n"))
                try eventually("the other one was only ended by what it said") {
                    try server.logLines("event=handshake-failed peer=192.0.2.8:4242 error=\"TLS").count == 1
                }
                _ = consume first
                _ = consume second
            }
        }

        @Test(
            "who looks whether the server is there, and leaves without a word of TLS, is no failed handshake",
            arguments: [
                ("", []), ("proxies = 127.0.0.1\n", ProxyBytes.own),
                ("proxies = 127.0.0.1\n", ProxyBytes.client),
            ])
        func looking(settings: String, header: [UInt8]) throws {
            try with(settings) { server, port in
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
                // Who begins and breaks off is one.
                _ = try connect(port, saying: header + [22])
                try eventually("it is counted") { try failures() == 1 }
            }
        }
    }
}
