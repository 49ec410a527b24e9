import type { Visited } from './visitor.ts'

/** Returns everything that could distinguish two responses, without tokens that are random in every response. */
export function observableVisit(visited: Visited): unknown {
  const html = visited.html.replaceAll(/(name="csrfmiddlewaretoken" value=")[^"]*/g, '$1')
  const headers = [...visited.headers].filter(([name]) => name !== 'set-cookie')
  const cookies = visited.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ''))
  const { status, location } = visited
  return { status, location, html, headers, cookies }
}
