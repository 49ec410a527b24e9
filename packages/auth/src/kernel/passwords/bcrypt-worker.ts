import { parentPort } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'

/** Answers each pair of text and hash with whether they belong together: the thread behind `createBcrypt`. */
parentPort?.on('message', ([text, hash]: [string, string]) => {
  parentPort?.postMessage(compareSync(text, hash))
})
