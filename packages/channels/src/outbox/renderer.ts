import { Worker } from 'node:worker_threads'
import type { PreviewPart } from '../markdown/shown.ts'
import type { PlatformId } from '../platform-names.ts'
import type { DeliveryContent } from './content.ts'
import { previewMessage, type Renders, renderText } from './plan.ts'

/** A platform whose messages are rendered. */
type RenderedPlatform = Renders & { readonly id: PlatformId }

/** Renders Markdown without keeping the event loop from other accounts' work. */
export interface Renderer {
  /** Returns the contents of deliveries. @param bot Key of the bot; the accounts with long texts take turns. */
  render(markdown: string, platform: RenderedPlatform, bot: string): Promise<readonly DeliveryContent[]>
  /** Returns what the platform will show. */
  preview(markdown: string, platform: RenderedPlatform, accountId: string): Promise<readonly PreviewPart[]>
  /** Ends the thread. Texts in progress are rendered here. */
  close(): void
}

/** What the thread is asked. */
export interface RenderTask {
  readonly kind: 'render' | 'preview'
  readonly markdown: string
  readonly platform: PlatformId
}

/** What the thread answers; `null`: it failed. */
export type RenderResult = readonly DeliveryContent[] | readonly PreviewPart[] | null

/** Texts up to this length, in UTF-16 units, are rendered at once: about 10 ms at worst. */
const SHORT = 4_000
/** The thread ends after this long without work, because it needs memory. */
const IDLE_MS = 30_000

/** Renders everything here, for tests with platforms of their own. */
export const inlineRenderer: Renderer = {
  render: async (markdown, platform) => renderText(markdown, platform),
  preview: async (markdown, platform) => previewMessage(markdown, platform),
  close: () => undefined,
}

/** Creates a renderer that renders long texts in a thread, which starts with the first one. */
export function createRenderer(): Renderer {
  const thread = new RenderThread()
  const run = async <R extends readonly unknown[]>(
    kind: RenderTask['kind'],
    given: { readonly markdown: string; readonly platform: RenderedPlatform; readonly account: string },
    inline: (markdown: string, platform: Renders) => R,
  ): Promise<R> => {
    const { markdown, platform, account } = given
    if (markdown.length <= SHORT) return inline(markdown, platform)
    const result = await thread.ask(account, { kind, markdown, platform: platform.id })
    return result === null ? inline(markdown, platform) : (result as unknown as R) // by `kind`, which goes with `inline`
  }
  return {
    render: (markdown, platform, bot) =>
      run('render', { markdown, platform, account: bot.split('/', 1)[0] ?? '' }, renderText),
    preview: (markdown, platform, account) => run('preview', { markdown, platform, account }, previewMessage),
    close: () => thread.close(),
  }
}

interface Waiting {
  readonly task: RenderTask
  readonly resolve: (result: RenderResult) => void
}

/** Renders one text at a time; the accounts with waiting texts take turns. */
class RenderThread {
  readonly #waiting = new Map<string, Waiting[]>()
  #worker: Worker | null = null
  #current: Waiting | null = null
  #idle: NodeJS.Timeout | undefined

  /** Resolves to `null` when the thread fails. */
  ask(account: string, task: RenderTask): Promise<RenderResult> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(account) ?? []
      own.push({ task, resolve })
      this.#waiting.set(account, own)
      this.#next()
    })
  }

  close(): void {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = null
    void worker?.terminate()
    const waiting = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    for (const { resolve } of waiting) resolve(null)
    this.#current?.resolve(null)
    this.#current = null
  }

  #next(): void {
    if (this.#current !== null) return
    const [first] = this.#waiting
    if (first === undefined) return
    const [account, own] = first
    const [next, ...rest] = own
    this.#waiting.delete(account)
    if (rest.length > 0) this.#waiting.set(account, rest) // behind the other accounts
    if (next === undefined) return
    this.#current = next
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage(next.task)
  }

  #start(): Worker {
    const worker = new Worker(new URL('render-thread.ts', import.meta.url))
    const onEnd = (): void => {
      if (this.#worker !== worker) return
      this.#worker = null
      this.#finish(null)
    }
    return worker
      .on('message', (result: RenderResult) => this.#finish(result))
      .on('error', onEnd)
      .once('exit', onEnd)
  }

  #finish(result: RenderResult): void {
    this.#worker?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref()
    const done = this.#current
    this.#current = null
    done?.resolve(result)
    this.#next()
  }
}
