import FocusNet
import Foundation
import TestSupport
import TestTraits
import Testing

/// An actor that runs on a loop.
private actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var count = 0
    private(set) var strayed = 0

    init(on loop: EventLoop) { self.loop = loop }

    func add() {
        if !loop.isCurrent { strayed += 1 }
        count += 1
    }
}

@Suite("The event loop", .ends(within: .seconds(600)))
final class EventLoopTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit {
        loop.stop()
        loop.wait()
    }

    @Test("an actor of the loop runs on its thread, whoever calls it")
    func actors() async {
        let counter = Counter(on: loop)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { await counter.add() } }
            }
        }
        #expect(await counter.count == 4_000)
        #expect(await counter.strayed == 0)
    }

    @Test("a callback of the loop enters an actor of the loop without waiting")
    func entering() async throws {
        let counter = Counter(on: loop)
        let count = try await loop.perform { [loop] in
            loop.schedule(after: .zero) { counter.assumeIsolated { $0.add() } }
            return counter.assumeIsolated { counter in
                counter.add()
                return counter.count
            }
        }
        #expect(count == 1)
        try await waitUntil("the timer has called the actor") { await counter.count == 2 }
    }

    @Test("closures run in the order they were left")
    func order() async throws {
        let (numbers, told) = AsyncStream<Int>.makeStream()
        for number in 0..<1_000 { loop.run { told.yield(number) } }
        try await loop.perform { told.finish() }
        var seen: [Int] = []
        for await number in numbers { seen.append(number) }
        #expect(seen == Array(0..<1_000))
    }

    @Test("timers fire in the order of their times, repeat if asked, and not once cancelled")
    func timers() async throws {
        let (events, told) = AsyncStream<String>.makeStream()
        try await loop.perform { [loop] in
            loop.schedule(after: .milliseconds(30)) { told.yield("30") }
            loop.schedule(after: .milliseconds(10)) { told.yield("10") }
            loop.schedule(after: .milliseconds(-5)) { told.yield("past") }
            loop.schedule(after: .milliseconds(5)) { told.yield("cancelled") }.cancel()
            let box = TimerBox()
            box.timer = loop.schedule(every: .milliseconds(40)) {
                told.yield("again")
                box.fired += 1
                guard box.fired == 2 else { return }
                box.timer?.cancel()
                told.finish()
            }
        }
        var seen: [String] = []
        for await event in events { seen.append(event) }
        #expect(seen == ["past", "10", "30", "again", "again"])
    }

    @Test("messages come in batches, in order, all of them")
    func mailbox() async {
        let (batches, told) = AsyncStream<[Int]>.makeStream()
        let mailbox = Mailbox<Int>(on: loop) { told.yield($0) }
        for number in 0..<10_000 { mailbox.post(number) }
        var seen: [Int] = []
        for await batch in batches {
            #expect(!batch.isEmpty)
            seen += batch
            if seen.count == 10_000 { break }
        }
        #expect(seen == Array(0..<10_000))
    }

    @Test("a signal is heard instead of ending the process, until nobody listens")
    func signals() async throws {
        let (signals, told) = AsyncStream<Int32>.makeStream()
        let watch = try await loop.perform { [loop] in
            try loop.onSignal(SIGUSR2) { told.yield(SIGUSR2) }
        }
        kill(getpid(), SIGUSR2)
        var iterator = signals.makeAsyncIterator()
        #expect(await iterator.next() == SIGUSR2)
        try await loop.perform { watch.cancel() }
    }

    @Test("a signal that can't be watched is refused")
    func impossibleSignal() async throws {
        let code = try await loop.perform { [loop] in failure { try loop.onSignal(SIGKILL) {} } }
        #expect(code != nil)
    }

    @Test("a loop that stops closes what is open and lets its thread end")
    func stopping() async throws {
        let loop = try EventLoop()
        let client = Recorder()
        try await loop.perform {
            let endpoint = try Listener(
                on: loop, at: .tcp(host: "127.0.0.1", port: 0), over: .plain, accept: { _ in Recorder() }
            ).endpoint
            _ = Connection.connect(to: endpoint, over: .plain, on: loop, handler: client)
            loop.schedule(after: .seconds(3_600)) {}
            try loop.onSignal(SIGUSR1) {}
        }
        _ = await client.waitForOpening()
        loop.stop()
        loop.wait()
        loop.wait()
        #expect(await client.waitForEnd() == .some(.loopStopped))
    }

    // The thread sanitizer checks that nothing is left of the loop's thread.
    @Test("a loop that nobody waits for is let go when it has stopped")
    func notWaiting() async throws {
        weak var gone: EventLoop?
        do {
            let loop = try EventLoop()
            gone = loop
            loop.stop()
        }
        try await waitUntil("the loop is let go") { gone == nil }
    }

    @Test("a loop stops although a name is being looked up")
    func stoppingDuringLookup() async throws {
        let loop = try EventLoop()
        let client = Recorder()
        try await loop.perform {
            _ = Connection.connect(
                to: .tcp(host: "nowhere.invalid", port: 1), over: .plain, on: loop, handler: client)
            loop.stop()
        }
        loop.wait()
        let end = await client.waitForEnd()
        #expect(end == .some(.loopStopped) || end == .some(.resolve))
    }
}

/// The state that a timer's closure and its maker share on the loop.
private final class TimerBox {
    var timer: LoopTimer?
    var fired = 0
}
