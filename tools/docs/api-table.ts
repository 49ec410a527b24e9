import { code, table } from './table.ts'
import { withAuth } from './with-auth.ts'

/** What is read of the description of the JSON API. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

/** A form in a page, and no operation of a client. */
const FORMS: ReadonlySet<string> = new Set(['auth/provider/redirect'])

/** Statuses that any operation may answer, which are told once. */
const ANY: ReadonlySet<string> = new Set(['410', '429'])

/** Every operation of the JSON API, from its own description. */
export const apiTable = (): Promise<string> =>
  withAuth(async (auth) => {
    const response = await auth.fetch(new Request('http://localhost/_allauth/openapi.json'))
    const { paths } = (await response.json()) as Described // made by `describeApi`
    const rows = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => ({ tag: operation.tags.join(), cells: cellsOf(path, method, operation) })),
    )
    return [...Map.groupBy(rows, ({ tag }) => tag)]
      .map(([tag, group]) => {
        const cells = group.map((row) => row.cells)
        return `#### ${tag}\n\n${table(['Request', 'Method of the client', 'What it does', 'Answers'], cells)}`
      })
      .join('\n\n')
  }, true)

function cellsOf(path: string, method: string, { operationId, summary, responses }: Operation): readonly string[] {
  const [, client = '', below = ''] = /^\/_allauth\/([^/]+)\/v1\/(.+)$/.exec(path) ?? []
  const alone = client === '{client}' ? '' : ` Clients of kind ${code(client)} only.`
  return [
    code(`${method.toUpperCase()} ${below}`),
    FORMS.has(below) ? '' : code(operationId),
    `${summary}.${alone}`,
    FORMS.has(below) ? '302' : statuses(responses),
  ]
}

const statuses = (responses: Operation['responses']): string =>
  Object.entries(responses)
    // Any operation may be refused with 403 for its token or address; only one of its own is told.
    .filter(
      ([status, { description }]) => !ANY.has(status) && (status !== '403' || description.startsWith('Not allowed.')),
    )
    .map(([status]) => status)
    .join(', ')
