import FocusCore
import FocusHTTP
package import FocusNet
import FocusServerCore
import FocusServerStore
import FocusSync

extension Server {
    /// The HTTP server for metrics and health, with its handler.
    struct Health {
        let pages: HealthPages
        let http: HTTPServer
    }

    /// Starts to serve metrics and health. Called after `start`.
    ///
    /// - Throws: `NetError` if it can't listen on a configured address, or a library is missing. At the
    ///   default address, such an error is only logged.
    func serveMetrics(at place: MetricsAddress) throws(NetError) {
        guard let address = place.address else { return }
        let port = address.port ?? MetricsAddress.port
        let started = clock.wall()
        let pages = HealthPages(log) { [weak self] in
            self?.assumeIsolated { server in
                server.switchboard.flatMap { switchboard in
                    server.state.map {
                        MetricsPage(metrics: switchboard.metrics, state: $0, started: started)
                    }
                }
            }
        }
        let http: HTTPServer
        do throws(NetError) {
            http = try HTTPServer(
                port: port, for: .anyone(at: address.host), headers: HealthPages.headers,
                limits: HealthPages.limits, on: loop, handler: pages)
        } catch {
            guard place == .auto, let remedy = error.metricsRemedy else { throw error }
            log.write(.warning, "no-metrics", ["error": .text(error.context), "do": .remedy(remedy)])
            return
        }
        serving?.health = Health(pages: pages, http: http)
        let endpoint = Endpoint.tcp(host: address.host, port: http.port)
        notes.metrics = "\(endpoint)"
        log.write(.info, "metrics", ["endpoint": "\(endpoint)"])
    }

    /// The present state; nil if the server doesn't serve.
    var state: ServerState? {
        guard let serving else { return nil }
        let switchboard = serving.switchboard
        let verdict = clock.check()
        let wall = clock.wall()
        var state = ServerState(store: serving.store.health)
        state.connections = switchboard.connectionCount
        state.bufferedBytes = switchboard.bufferedBytes
        state.groups = switchboard.groupCount
        state.devices = switchboard.deviceCount
        state.isStopping = switchboard.isStopping
        state.clock = verdict
        state.clockOffset = wall - clock.greatestServed
        if let latest = switchboard.latest, latest != .zero {
            state.logAhead = latest.time - wall
        }
        state.storeProblem = switchboard.metrics.storeProblem
        state.backup = serving.backups?.state
        state.storeRoundTrip = serving.store.roundTrip
        state.storeSilence = serving.store.silence(at: clock.steady())
        return state
    }
}

extension Server {
    /// The notices that the supervisor has received.
    struct Report {
        let supervisor: Supervisor
        /// Whether the supervisor expects regular signs of life.
        let isWatched: Bool
        /// The notices of the last successful message.
        var sent: Set<Supervisor.Notice> = []

        /// Returns the interval between two messages. A message is sent twice within the time that the
        /// supervisor allows, so that a late one doesn't cause a restart.
        static func interval(watchdog: Duration?) -> Duration {
            min(.seconds(5), (watchdog ?? .seconds(10)) / 2)
        }

        /// Sends the notices that the supervisor hasn't received. Notices that can't be sent are sent with
        /// the next call.
        mutating func send(_ notices: [Supervisor.Notice]) {
            let news = notices.filter { !sent.contains($0) }
            guard isWatched || !news.isEmpty else { return }
            if supervisor.send(news + (isWatched ? [.alive] : [])) { sent = Set(notices) }
        }
    }

    /// Tells the supervisor that the server is ready. Then reports regularly, on the connections' event loop,
    /// how the server is doing, which also shows that the loop isn't stuck.
    ///
    /// - Parameter watchdog: The time within which the supervisor expects a message; nil if it expects none.
    package func report(to supervisor: Supervisor, watchdog: Duration?) {
        report = Report(supervisor: supervisor, isWatched: watchdog != nil)
        notifySupervisor()
        loop.schedule(every: Report.interval(watchdog: watchdog)) { [weak self] in
            self?.assumeIsolated { $0.notifySupervisor() }
        }
    }

    /// Reports the present state to the supervisor.
    func notifySupervisor() {
        guard let state else { return }
        report?.send([state.isStopping ? .stopping : .ready, .status(state.sentence(log))])
    }
}

extension NetError {
    /// The remedy if metrics can't be served at the default address; nil if the error must not be ignored.
    fileprivate var metricsRemedy: Remedy? {
        switch code {
        case .addressInUse: .freePort
        case .noLibrary: .installLibrary
        default: nil
        }
    }
}
