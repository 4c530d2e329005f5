import FocusNet

/// The kind of error that `body` throws; nil where it throws none or one of another type.
func failure<Result>(_ body: () throws -> Result) -> NetError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? NetError)?.code
    }
}
