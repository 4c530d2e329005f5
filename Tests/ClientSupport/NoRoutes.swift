package import FocusDevice
package import FocusLink
import FocusStore

/// Fails, as the routes of a laptop whose files can't be read. So its agent never connects.
package func noRoutes(
    _ server: ServerAddress, _ patience: Duration?
) throws(LocalFailure) -> ServerRoutes {
    throw .store(StoreError(.disk, "this laptop has no routes"))
}
