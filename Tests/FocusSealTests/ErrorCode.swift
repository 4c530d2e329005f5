import FocusSeal
import Testing

/// Returns the code of the error that `body` throws. If it throws none, the test fails and the result is nil.
func code(_ body: @autoclosure () throws -> Any?) -> SealError.Code? {
    do {
        let result = try body()
        Issue.record("no error, but \(String(describing: result))")
        return nil
    } catch {
        return (error as? SealError)?.code
    }
}
