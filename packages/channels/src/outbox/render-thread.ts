import { parentPort } from 'node:worker_threads'
import { platforms } from '../platforms/registry.ts'
import { previewMessage, renderText } from './plan.ts'
import type { RenderResult, RenderTask } from './renderer.ts'

/** The thread of `createRenderer`. */
parentPort?.on('message', (task: RenderTask) => parentPort?.postMessage(run(task)))

function run({ kind, markdown, platform }: RenderTask): RenderResult {
  try {
    return (kind === 'render' ? renderText : previewMessage)(markdown, platforms[platform])
  } catch {
    return null // rendered again, the error is thrown where it is handled
  }
}
