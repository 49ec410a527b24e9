/** The service cannot start. `message` is one sentence for the operator that names what to change. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
