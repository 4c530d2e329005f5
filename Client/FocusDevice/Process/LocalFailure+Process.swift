import FocusSeal
import FocusStore

extension LocalFailure {
    /// Runs `body`, and converts this machine's errors. An error of another type becomes one of the log, with
    /// the same message.
    package static func wrapping<Result>(_ body: () throws -> Result) throws(LocalFailure) -> Result {
        do {
            return try body()
        } catch let failure as DeviceFailure {
            throw .device(failure)
        } catch let error as SealError {
            throw .seal(error)
        } catch {
            throw .store(error as? StoreError ?? StoreError(.failed, "\(error)"))
        }
    }
}
