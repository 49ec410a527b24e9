import { createIdleThread, type IdleThreadOptions } from './idle-thread.ts'

/** bcrypt in JavaScript, which takes half a second of a core. */
export interface Bcrypt {
  /** @param hash From `$2b$` on, checked for its form. @throws {Error} `thread_died` */
  matches(text: string, hash: string): Promise<boolean>
}

/** The published files end in `.js`. */
const WORKER = import.meta.url.endsWith('.ts')
  ? new URL('./bcrypt-worker.ts', import.meta.url)
  : new URL('./bcrypt-worker.js', import.meta.url)

/** On a thread of its own. */
export function createBcrypt(options: IdleThreadOptions = {}): Bcrypt {
  const thread = createIdleThread<readonly [text: string, hash: string], boolean>(WORKER, options)
  return { matches: (text, hash) => thread.ask([text, hash]) }
}
