import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { createBcrypt } from './password-service.ts'

const HASH = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

describe('the thread of bcrypt', () => {
  it('handles many calls on one thread, which ends when idle', async () => {
    const threads: Worker[] = []
    const bcrypt = createBcrypt({ idleMs: 0, onThread: (thread) => threads.push(thread) })
    expect(await Promise.all(['U*U', 'x', 'U*U', ''].map((text) => bcrypt.matches(text, HASH)))).toEqual([
      true,
      false,
      true,
      false,
    ])
    const [thread] = threads
    if (thread && thread.threadId > 0) await once(thread, 'exit')
    expect(await bcrypt.matches('U*U', HASH)).toBe(true)
    expect(threads).toHaveLength(2)
  })

  it('logs when it dies, and another takes its place', async () => {
    const threads: Worker[] = []
    const bcrypt = createBcrypt({ onThread: (thread) => threads.push(thread) })
    await expect(bcrypt.matches('x', `$2a$99$${'a'.repeat(53)}`)).rejects.toThrow('thread_died')
    expect(await bcrypt.matches('U*U', HASH)).toBe(true)
    expect(threads).toHaveLength(2)
  })
})
