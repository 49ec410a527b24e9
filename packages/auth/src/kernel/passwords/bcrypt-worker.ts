import { parentPort } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'

/** The worker thread of `createBcrypt`. Replies to each pair of text and hash with whether they match. */
parentPort?.on('message', ([text, hash]: [string, string]) => {
  parentPort?.postMessage(compareSync(text, hash))
})
