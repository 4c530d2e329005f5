package import FocusDevice
package import FocusLink
import FocusStore

/// Throws instead of returning routes, so the agent of this laptop never connects.
package func noRoutes(
    _ server: ServerAddress, _ patience: Duration?
) throws(LocalFailure) -> ServerRoutes {
    throw .store(StoreError(.disk, "this laptop has no routes"))
}
