import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** The worker thread of `passwordStrength`. Replies to each password and the texts about its user with the score. */
parentPort?.on('message', ([password, about]: [string, string[]]) => {
  parentPort?.postMessage(zxcvbn.check(password, about).score)
})
