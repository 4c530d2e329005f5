import FocusContact
import Synchronization
import Testing

@Suite("Giving an operation up")
struct CancellationTests {
    @Test("works while it runs, also where that was wanted before it began, and not once it is over")
    func whenever() {
        let count = Mutex(0)
        let early = Cancellation()
        early.giveUp()
        early.setHandler { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 1)

        let late = Cancellation()
        late.setHandler { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 1)
        late.giveUp()
        #expect(count.withLock { $0 } == 2)
        late.setHandler(nil)
        late.giveUp()
        #expect(count.withLock { $0 } == 2)
    }
}
