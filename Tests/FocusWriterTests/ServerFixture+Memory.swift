import ServerSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

extension ServerFixture {
    /// The rates of recent uploads, as the writer remembers them.
    var rates: UploadRates { writer.rates }

    /// Expects that the store, read again, equals the writer's memory.
    func expectStoreMatchesMemory() throws { #expect(try store.read { try $0.logs() } == logs) }
}
