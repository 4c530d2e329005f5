import FocusNet

/// Returns the code of the error that `body` throws, or nil if it throws none or one of another type.
func failure<Result>(_ body: () throws -> Result) -> NetError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? NetError)?.code
    }
}
