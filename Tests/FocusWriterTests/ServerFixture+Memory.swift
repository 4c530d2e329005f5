import ServerSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

extension ServerFixture {
    /// What the writer keeps of what was written lately.
    var rates: UploadRates { writer.rates }

    /// What the store has, read anew, is what the writer has in memory.
    func expectStoreMatchesMemory() throws { #expect(try store.read { try $0.logs() } == logs) }
}
