import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TemplateFolder, templateFolder } from '../../../testing/template-folder.ts'
import { createTranslations } from '../translate/create-translations.ts'
import { createTemplates } from './create-templates.ts'

const t = createTranslations({ languages: ['en'] }).translator('en')

let folder: TemplateFolder
beforeAll(async () => {
  folder = await templateFolder({
    'layouts/frame.html': '<{% block title %}Site{% endblock %}|{% block content %}{% endblock %}>',
    'part.html': '({{ who }})',
  })
})
afterAll(() => folder.remove())

let pages = 0
async function render(source: string, context: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const name = `direct${++pages}`
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
      'a loop over nothing',
      '{% for x in nobody %}1{% else %}-{% endfor %}{% for x in none %}1{% else %}-{% endfor %}',
      '--',
    ],
    ['a loop over numbers', '{% for i in (1..n) reversed %}{{ i }}{% endfor %}', '321'],
    ['a choice', '{% case a %}{% when "y" %}1{% when "x" %}2{% endcase %}', '2'],
    ['a part with a value', '{% include "part", who: a %}{% render "part", who: n %}', '(x)(3)'],
    [
      'what a block replaces',
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

  it('that is rejected fails where it stands', async () => {
    const user_verified = (): Promise<never> => Promise.reject(new Error('no database'))
    await expect(render('\n{% user_verified user as ok %}', { user: {}, user_verified })).rejects.toThrow(
      /no database.*direct\d+\.html, line:2/,
    )
  })
})
