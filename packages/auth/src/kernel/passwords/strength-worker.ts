import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** Answers each password, with texts about its owner, with its score: the thread behind `passwordStrength`. */
parentPort?.on('message', ([password, about]: [string, string[]]) => {
  parentPort?.postMessage(zxcvbn.check(password, about).score)
})
