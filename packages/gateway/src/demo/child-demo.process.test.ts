import { expect, it } from 'vitest'
import { accountsWorld } from '../testing/accounts-world.ts'

/** Resolves when nothing listens there any more. */
async function isGone(url: string): Promise<boolean> {
  for (;;) {
    try {
      await fetch(url, { redirect: 'manual' })
    } catch {
      return true
    }
  }
}

it('is started once beside a service, leads in by its link, and ends with the service', async () => {
  const links: string[] = []
  {
    await using world = await accountsWorld({ GATEPOST_ASSISTANT: 'echo' })
    expect((await world.ask('GET', '/api/service')).body).toMatchObject({ demo: false, can_start_demo: true })
    const started = await Promise.all([world.ask('POST', '/api/demo'), world.ask('POST', '/api/demo')])
    links.push(...started.map(({ body }) => String(body['url'])))
    const [link = ''] = links
    expect(new Set(links).size).toBe(1)
    expect(new URL(link).origin).not.toBe(world.gateway().url)
    const opened = await fetch(link, { redirect: 'manual' })
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/console/demo'])
    expect(JSON.stringify(world.lines)).not.toContain(new URL(link).pathname)
  }
  expect(await isGone(links[0] ?? '')).toBe(true)
})
