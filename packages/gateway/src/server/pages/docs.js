/** Renders the OpenAPI document of this server. Loads nothing else and needs no token. */

const contents = document.getElementById('contents')
const main = document.getElementById('operations')

/** An element with properties and children; texts become text nodes, so nothing is read as markup. */
function element(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties)
  node.append(...children.filter((child) => child !== null))
  return node
}

/** Text with `code` marks. */
const marked = (text) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : document.createTextNode(part)))

const resolve = (api, schema) => {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? schema : { ...api.components.schemas[name], title: name }
}

/** A schema in a few words, e.g. `array of KnownUser`. */
function kindOf(api, schema) {
  const whole = resolve(api, schema)
  if (whole.title !== undefined) return whole.title
  if (whole.const !== undefined) return JSON.stringify(whole.const)
  if (whole.enum !== undefined) return whole.enum.join(' | ')
  const choices = whole.anyOf ?? whole.oneOf
  if (choices !== undefined) return choices.map((choice) => kindOf(api, choice)).join(' or ')
  if (whole.type === 'array') return `array of ${kindOf(api, whole.items ?? {})}`
  const range = [whole.minimum, whole.maximum]
  const bounded = range.every((bound) => bound !== undefined && Math.abs(bound) < 1e9)
  return `${whole.type ?? 'any'}${bounded ? ` ${range.join(' to ')}` : ''}`
}

/** Rows for the members of an object, and of the objects in them. */
function memberRows(api, schema, depth, seen) {
  const whole = resolve(api, schema)
  const inner = whole.type === 'array' ? resolve(api, whole.items ?? {}) : whole
  const choices = inner.anyOf ?? inner.oneOf
  if (choices !== undefined) {
    const objects = choices.filter((choice) => resolve(api, choice).properties !== undefined)
    return objects.length === 1 ? memberRows(api, objects[0], depth, seen) : []
  }
  if (inner.properties === undefined || depth > 3 || seen.includes(inner.title)) return []
  const above = inner.title === undefined ? seen : [...seen, inner.title]
  return Object.entries(inner.properties).flatMap(([name, member]) => {
    const must = inner.required?.includes(name) === true && schema.isRequest === true
    return [
      row(name, kindOf(api, member), resolve(api, member).description ?? '', { depth, must }),
      ...memberRows(api, member, depth + 1, above),
    ]
  })
}

function row(name, kind, description, { depth = 0, must = false } = {}) {
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', className: `depth-${depth}` },
      element('code', { className: must ? 'must' : '' }, name),
    ),
    element('td', { className: 'kind' }, kind),
    element('td', {}, ...marked(description)),
  )
}

const table = (rows) => element('table', { className: 'rows' }, element('tbody', {}, ...rows))

function section(title, rows) {
  return rows.length === 0 ? [] : [element('h3', {}, title), table(rows)]
}

function operationView(api, path, method, operation) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    row(parameter.name, `${kindOf(api, parameter.schema)}, in ${parameter.in}`, parameter.schema.description ?? '', {
      must: parameter.required,
    }),
  )
  const body = operation.requestBody?.content['application/json'].schema
  const bodyParts = body === undefined ? [] : requestView(api, body, operation.requestBody.required)
  const [good, failed] = [true, false].map((wanted) =>
    Object.entries(operation.responses).filter(([status]) => Number(status) < 400 === wanted),
  )
  return element(
    'section',
    { className: 'operation', id: operation.operationId },
    element('h2', {}, operation.summary),
    element(
      'div',
      { className: 'address' },
      element('span', { className: `method ${method}` }, method.toUpperCase()),
      element('code', {}, path),
    ),
    element('p', { className: 'lead' }, ...marked(operation.description ?? '')),
    ...section('Parameters', parameters),
    ...bodyParts,
    ...good.flatMap(([status, answer]) => answerView(api, status, answer)),
    failuresView(failed),
    exampleView(path, method, body),
  )
}

function requestView(api, body, required) {
  const title = required ? 'Body' : 'Body, may be left out'
  const rows = memberRows(api, { ...resolve(api, body), isRequest: true }, 0, [])
  const about = resolve(api, body).description
  const prose = about === undefined ? null : element('p', { className: 'lead' }, ...marked(about))
  return rows.length > 0 ? [...section(title, rows)] : [element('h3', {}, title), ...(prose === null ? [] : [prose])]
}

function answerView(api, status, answer) {
  const [type, { schema }] = Object.entries(answer.content)[0]
  const about = `${answer.description}${type === 'application/json' ? '' : ` (${type})`}`
  const choices = resolve(api, schema).oneOf
  const parts =
    choices === undefined
      ? [table(memberRows(api, schema, 0, []))]
      : choices.map((choice) => table(memberRows(api, choice, 0, [])))
  return [element('h3', {}, `${status} `), element('p', { className: 'lead' }, ...marked(about)), ...parts]
}

function failuresView(failed) {
  const rows = failed.flatMap(([status, answer]) =>
    answer.description.split('\n').map((line) => {
      const [, code, sentence] = /^`(\w+)`: (.*)$/.exec(line) ?? [null, line, '']
      return row(code, status, sentence)
    }),
  )
  return element('details', {}, element('summary', {}, `Errors (${rows.length})`), table(rows))
}

function exampleView(path, method, body) {
  const sample = body?.examples?.[0] ?? (body?.properties?.message === undefined ? undefined : { message: 'Done.' })
  const address = `${location.origin}${path.replace('{platform}', 'telegram').replace('{id}', 'ID')}`
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${address}`,
    `-H "Authorization: Bearer $(cat ~/.gatepost/api-token)"`,
    ...(sample === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(sample)}'`]),
  ]
  return element(
    'details',
    {},
    element('summary', {}, 'Try it in a terminal'),
    element('pre', {}, element('code', {}, lines.join(' \\\n  '))),
  )
}

function render(api) {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  contents.replaceChildren(
    ...operations.map(({ method, operation }) =>
      element(
        'a',
        { href: `#${operation.operationId}` },
        element('span', { className: `method ${method}` }, method.toUpperCase()),
        element('span', {}, operation.operationId.replaceAll(/([A-Z])/g, ' $1').toLowerCase()),
      ),
    ),
  )
  main.replaceChildren(
    element('h1', {}, `${api.info.title} ${api.info.version}`),
    element('p', { className: 'lead' }, api.info.description),
    ...operations.map(({ path, method, operation }) => operationView(api, path, method, operation)),
  )
  document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

try {
  const response = await fetch('openapi.json')
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  render(await response.json())
} catch (error) {
  main.replaceChildren(element('p', { className: 'lead' }, `The document could not be loaded. ${error.message}`))
}
