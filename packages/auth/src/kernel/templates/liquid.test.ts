import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TemplateFolder, templateFolder } from '../../testing/template-folder.ts'
import { createTranslations } from './translations.ts'
import { createTemplates } from './templates.ts'

const t = createTranslations({ languages: ['en'] }).translator('en')

let folder: TemplateFolder
beforeAll(async () => {
  folder = await templateFolder({
    'layouts/frame.html': '<{% block title %}Site{% endblock %}|{% block content %}{% endblock %}>',
    'part.html': '({{ who }})',
    'elements/reader.html': '{{ user.name }}',
  })
})
afterAll(() => folder.remove())

let pages = 0
async function render(source: string, context: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const name = `page${++pages}`
  await folder.write(`${name}.html`, source)
  return createTemplates({ folders: [folder.path] }).page(name, context, t)
}

describe('Liquid', () => {
  const values = {
    a: 'x',
    n: 3,
    none: null,
    list: ['p', 'q', 'r'],
    deep: { key: { word: 'w' } },
    nobody: [],
    on: true,
    people: [
      { name: 'A', age: 6 },
      { name: 'B', age: 7 },
    ],
  }
  const cases: readonly [why: string, source: string, html: string][] = [
    ['conditions', '{% if none %}1{% elsif n == 3 and on %}2{% else %}3{% endif %}', '2'],
    ['the other way round', '{% unless a == "x" %}1{% elsif n > 2 %}2{% else %}3{% endunless %}', '2'],
    ['nothing holds', '{% if none or nobody.first %}1{% else %}3{% endif %}{% unless a %}1{% endunless %}', '3'],
    ['words between conditions', '{% if not none and list contains "q" and n != 4 %}yes{% endif %}', 'yes'],
    ['blank and empty', '{% if none == blank and nobody == empty and a != blank %}yes{% endif %}', 'yes'],
    ['lists that are equal', '{% assign same = list %}{% if same == list %}yes{% endif %}', 'yes'],
    [
      'properties',
      '{{ deep.key.word }}{{ deep["key"].word }}{{ list[1] }}{{ list.size }}{{ list.last }}{{ no.way }}',
      'wwq3r',
    ],
    ['a property with a computed name', '{% assign name = "key" %}{{ deep[name].word }}', 'w'],
    ['filters with arguments', '{{ a | append: "<" | prepend: n }}{{ none | default: "d" }}', '3x&lt;d'],
    ['filters of the library that look into lists', '{{ people | where: "age", 7 | map: "name" | join }}', 'B'],
    [
      'a loop and its state',
      '{% for x in list %}{{ forloop.index }}{{ x }}{% unless forloop.last %},{% endunless %}{% endfor %}',
      '1p,2q,3r',
    ],
    [
      'a loop that goes on and ends early',
      '{% for x in list %}{% if x == "p" %}{% continue %}{% endif %}{{ x }}{% break %}{% endfor %}!',
      'q!',
    ],
    [
      'a loop over an empty list',
      '{% for x in nobody %}1{% else %}-{% endfor %}{% for x in none %}1{% else %}-{% endfor %}',
      '--',
    ],
    ['a loop over numbers', '{% for i in (1..n) reversed %}{{ i }}{% endfor %}', '321'],
    ['a choice', '{% case a %}{% when "y" %}1{% when "x" %}2{% endcase %}', '2'],
    ['a part with a value', '{% include "part", who: a %}{% render "part", who: n %}', '(x)(3)'],
    [
      'the block that a block replaces',
      '{% layout "layouts/frame" %}{% block title %}{{ a }} {{ block.super }}{% endblock %}',
      '<x Site|>',
    ],
    ['comments and raw text', '{% comment %}{{ a }}{% endcomment %}{% raw %}{{ a }}{% endraw %}', '{{ a }}'],
  ]
  it.each(cases)('%s', async (_why, source, html) => {
    expect(await render(source, values)).toBe(html)
  })
})

describe('a promise', () => {
  it('of a function is awaited, and the function called once for each place', async () => {
    const asked: unknown[] = []
    const user_verified = (user: unknown): Promise<boolean> => {
      asked.push(user)
      return Promise.resolve(user === 'b')
    }
    const source = '{% for x in users %}{% user_verified x as ok %}{{ x }}{{ ok }} {% endfor %}'
    expect(await render(source, { users: ['a', 'b'], user_verified })).toBe('afalse btrue ')
    expect(asked).toEqual(['a', 'b'])
  })

  it('in the context is awaited, with its properties', async () => {
    const person = Promise.resolve({ name: Promise.resolve('<Ann>') })
    expect(await render('{% if person.name %}{{ person.name }}{% endif %}', { person })).toBe('&lt;Ann&gt;')
  })

  it('is awaited in loops, in filters, and in the arguments of tags', async () => {
    const people = Promise.resolve([{ name: Promise.resolve('Ann') }, { name: 'Bob' }])
    const source =
      "{% for p in people %}{{ p.name | upcase }} {% endfor %}{% t 'Hi {name}' name=people.first.name %}{% url page %}"
    const context = { people, page: Promise.resolve('login'), url: (name: string) => Promise.resolve(`/${name}/`) }
    expect(await render(source, context)).toBe('ANN BOB Hi Ann/login/')
  })

  it('that is rejected fails where it stands', async () => {
    const user_verified = (): Promise<never> => Promise.reject(new Error('no database'))
    await expect(render('\n{% user_verified user as ok %}', { user: {}, user_verified })).rejects.toThrow(
      /no database.*page\d+\.html, line:2/,
    )
  })
})

describe('a cached fragment', () => {
  /** Renders one template again and again, and counts translations: a fragment from the cache needs none. */
  async function open(source: string) {
    const name = `page${++pages}`
    await folder.write(`${name}.html`, source)
    const templates = createTemplates({ folders: [folder.path] })
    const translate = vi.fn(t)
    return { translate, show: (context: Readonly<Record<string, unknown>>) => templates.page(name, context, translate) }
  }

  it('is rendered once for equal values', async () => {
    const { show, translate } = await open("{% cache a=a %}{% t 'Hi {a}' a=a %}{% endcache %}")
    const shown = [await show({ a: '<1>' }), await show({ a: '<1>', b: 2 }), await show({ a: ['x'] }), await show({})]
    expect(shown).toEqual(['Hi &lt;1&gt;', 'Hi &lt;1&gt;', 'Hi x', 'Hi '])
    expect(translate).toHaveBeenCalledTimes(3)
  })

  it('is rendered once per language and layout', async () => {
    const { show, translate } = await open("{% cache %}{% t 'Hi' %}{% endcache %}")
    await show({})
    await show({ page_layout: 'entrance' })
    expect(translate).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['a value of the page', '{{ user.name }}', 'Ann', 'Bob'],
    ['a value that the first page lacked', '{% if extra %}{{ extra }}{% else %}none{% endif %}', 'none', 'more'],
    ['a function of the page', "{% url 'home' %}", '/Ann/', '/Bob/'],
    ['a value that a tag writes', '{% csrf_token %}', /value="Ann"/, /value="Bob"/],
    ['an element that reads one of them', '{% element reader / %}', 'Ann', 'Bob'],
  ])('is never shared when it reads %s', async (_why, body, first, second) => {
    const { show } = await open(`{% cache a=a %}${body}{% endcache %}`)
    const page = (name: string) => ({ user: { name }, csrf_token: name, url: () => `/${name}/` })
    const expectShown = (html: string, wanted: string | RegExp) =>
      typeof wanted === 'string' ? expect(html).toBe(wanted) : expect(html).toMatch(wanted)
    for (let round = 0; round < 2; round += 1) {
      expectShown(await show(page('Ann')), first)
      expectShown(await show({ ...page('Bob'), extra: 'more' }), second)
    }
  })

  it('is rendered every time when it must not be kept, or its values are more than data', async () => {
    const { show, translate } = await open("{% cache a=a unless=typed %}{% t 'Hi {a}' a=a %}{% endcache %}")
    for (const context of [{ typed: true }, { a: new Date(0) }, { a: { b: new Map() } }, { a: 'x'.repeat(20_000) }]) {
      translate.mockClear()
      expect(await show(context)).toBe(await show(context))
      expect(translate).toHaveBeenCalledTimes(2)
    }
  })

  it('fills in the fields of a form only while it is untouched', async () => {
    const { show, translate } = await open('{% element fields form=form / %}')
    const form = (value: string, errors: readonly unknown[] = []) => ({ errors: [], fields: [field(value, errors)] })
    const field = (value: string, errors: readonly unknown[]) => ({
      name: 'a',
      type: 'text',
      label: 'A',
      value,
      errors,
    })
    const count = async (shown: unknown): Promise<number> => {
      translate.mockClear()
      await show({ form: shown })
      return translate.mock.calls.length
    }
    expect(await count(form(''))).toBeGreaterThan(0)
    expect(await count(form(''))).toBe(0)
    for (const typed of [form('secret'), form('', ['wrong'])]) {
      expect(await count(typed)).toBeGreaterThan(0)
      expect(await count(typed)).toBeGreaterThan(0)
    }
  })
})

describe('the filter attributes', () => {
  const cases: readonly [why: string, source: string, html: string][] = [
    ['escapes', "{{ attrs | attributes: 'title' }}", ' title="&lt;&quot;&gt;"'],
    ['omits empty attributes', "{{ attrs | attributes: 'none blank title' }}", ' title="&lt;&quot;&gt;"'],
    ['writes the name alone when that means yes', "{{ attrs | attributes: 'required' }}", ' required'],
    ['fills in a default', "{{ attrs | attributes: 'method=post type=submit' }}", ' method="get" type="submit"'],
    ['refuses addresses that run code', "{{ attrs | attributes: 'href' }}", ' href="#"'],
    ['writes nothing without attributes', "{{ nothing | attributes: 'title' }}", ''],
  ]
  it.each(cases)('%s', async (_why, source, html) => {
    const attrs = { title: '<">', blank: '', none: null, required: 'x', method: 'get', href: 'javascript:alert(1)' }
    expect(await render(source, { attrs })).toBe(html)
  })
})
