import FocusCore
import FocusSeal
import Testing

/// The bytes of a vector; none, and a failed test, where it isn't hexadecimal.
func octets(_ text: String) -> [UInt8] {
    let bytes = bytes(hexadecimal: text)
    #expect(bytes != nil, "a vector is not hexadecimal")
    return bytes ?? []
}

/// The code of the error that `body` throws; nil, and a failed test, where it throws none.
func code(_ body: @autoclosure () throws -> Any?) -> SealError.Code? {
    do {
        let result = try body()
        Issue.record("no error, but \(String(describing: result))")
        return nil
    } catch {
        return (error as? SealError)?.code
    }
}
