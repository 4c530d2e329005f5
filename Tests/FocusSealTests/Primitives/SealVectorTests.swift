import FocusSeal
import Testing

@Suite struct SealVectorTests {
    @Test("a vector has its result, with OpenSSL as with BearSSL", arguments: SealVector.all)
    func vector(_ vector: SealVector) { #expect(vector.run() == vector.expected) }

    @Test("no two vectors have the same name") func names() {
        #expect(Set(SealVector.all.map(\.name)).count == SealVector.all.count)
    }
}

extension SealVector: CustomTestStringConvertible {
    var testDescription: String { name }
}
