import ServerSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

extension ServerFixture {
    /// The writer's memory of the rates of recent uploads.
    var rates: UploadRates { writer.memory.charges.rates }

    /// Expects that the store, read again, equals the writer's memory.
    func expectStoreMatchesMemory() throws { #expect(try store.read { try $0.logs() } == logs) }
}
