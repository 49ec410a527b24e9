import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TemplateFolder, templateFolder } from '../../testing/template-folder.ts'
import { createTranslations } from './translations.ts'
import { createTemplates } from './templates.ts'

const t = createTranslations({ languages: ['en'] }).translator('en')
const EVIL = `<script>"'&`
const EVIL_HTML = '&lt;script&gt;&quot;&#39;&amp;'

let folder: TemplateFolder
beforeAll(async () => {
  folder = await templateFolder({
    'elements/echo.html': '[{% slot %}none{% endslot %}|{% slot side %}{% endslot %}]',
    'elements/outer.html':
      '({% element echo %}{% slot side %}{% slot side %}-{% endslot %}{% endslot %}{% slot %}{% endslot %}{% endelement %})',
    'elements/hint.html': 'plain {{ attrs.a }} {{ origin }}{% for tag in attrs.tags %} #{{ tag }}{% endfor %}',
    'elements/hint__entrance.html': 'entrance',
  })
})
afterAll(() => folder.remove())

let pages = 0
async function render(source: string, context: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const name = `test/page${++pages}`
  await folder.write(`${name}.html`, source)
  return (await createTemplates({ folders: [folder.path] }).page(name, context, t)).trim()
}

const host = {
  request: { path: '/here/', language: 'en' },
  csrf_token: `"${EVIL}`,
  redirect_field_name: 'next',
  redirect_field_value: '/a"b',
  url: (name: string, params: Readonly<Record<string, string>>) =>
    `/${name}/?${new URLSearchParams(params).toString()}`,
  has: (name: string) => name !== 'account_signup',
  asset: (name: string) => `/assets/${name}`,
  user_verified: (user: unknown) => Promise.resolve(user !== null),
  provider_login_url: (id: string, args: unknown) => `${id} ${JSON.stringify(args)}`,
  user: { username: '', email: EVIL },
  evil: EVIL,
}

describe('a tag', () => {
  const cases: readonly [why: string, source: string, html: string][] = [
    ['text is escaped', '{{ evil }}', EVIL_HTML],
    ['echo is escaped', '{% echo evil %}', EVIL_HTML],
    ['echo is escaped after a filter', "{% echo evil | append: '<' %}", `${EVIL_HTML}&lt;`],
    ['echo within the liquid tag is escaped', '{% liquid\n echo evil\n%}', EVIL_HTML],
    ['cycle is escaped', "{% cycle evil, 'b' %}", EVIL_HTML],
    [
      'echo writes markup as it is',
      '{% setvar x %}<b>{{ evil }}</b>{% endsetvar %}{% echo x %}',
      `<b>${EVIL_HTML}</b>`,
    ],
    ['an object is not shown', '{{ request }}', ''],
    ['neither functions of the context nor inherited members are shown', '{{ url }}{{ user.constructor }}', ''],
    ['t fills and escapes', "{% t 'Hi <b> {name}' name=evil %}", `Hi &lt;b&gt; ${EVIL_HTML}`],
    [
      't takes markup for a placeholder',
      "{% setvar link %}<a>{{ evil }}</a>{% endsetvar %}{% t '<{link}> {evil}' link=link evil=evil %}",
      `&lt;<a>${EVIL_HTML}</a>&gt; ${EVIL_HTML}`,
    ],
    ['text cannot pose as the place of markup', "{% setvar a %}<i>{% endsetvar %}{% t '{a}{b}' a=a b=mark %}", '<i>0'],
    ['t counts', "{% t '{n, plural, one {# day} other {# days}}' n=2 %}", '2 days'],
    ['t as a filter', "{{ 'Hi {name}' | t: name: evil }}", `Hi ${EVIL_HTML}`],
    ['t with an object of values', "{% t 'Hi {email}' values=user %}", `Hi ${EVIL_HTML}`],
    ['t into a variable', "{% t 'Hi' as hi %}{{ hi }}", 'Hi'],
    [
      'a value of setvar is not escaped twice',
      '{% setvar x %}<b>{{ evil }}</b>{% endsetvar %}{{ x }}',
      `<b>${EVIL_HTML}</b>`,
    ],
    ['url', "{% url 'account_login' key='a&b' %}", '/account_login/?key=a%26b'],
    ['url is escaped', "{% url 'x' a='1' b='2' %}", '/x/?a=1&amp;b=2'],
    ['url of a page that is not there', "[{% url 'account_signup' as u %}{{ u }}]", '[]'],
    ['asset', "{% asset 'auth.css' %}", '/assets/auth.css'],
    ['csrf_token', '{% csrf_token %}', `<input type="hidden" name="csrfmiddlewaretoken" value="&quot;${EVIL_HTML}">`],
    ['redirect_field', '{% redirect_field %}', '<input type="hidden" name="next" value="/a&quot;b">'],
    ['redirect_field as a variable', '{{ redirect_field }}', '<input type="hidden" name="next" value="/a&quot;b">'],
    ['user_display without a function of the page', '{% user_display user %}', EVIL_HTML],
    ['user_verified', '{% user_verified user as ok %}{% if ok %}yes{% endif %}', 'yes'],
    ['user_verified without a user', '{% user_verified nobody as ok %}{% unless ok %}no{% endunless %}', 'no'],
    [
      'no providers',
      '{% socialaccount_providers as all %}{{ all.size }}{% get_providers as all %}{{ all.size }}',
      '00',
    ],
    [
      "provider_login_url uses the page's next and drops empty arguments",
      "{% setvar x %}{% provider_login_url 'github' scope='' %}{% endsetvar %}{{ x }}",
      'github {&quot;next&quot;:&quot;/a\\&quot;b&quot;}',
    ],
    [
      'provider_login_url with process redirect leads back here',
      "{% provider_login_url 'github' process='redirect' %}",
      'github {&quot;process&quot;:&quot;redirect&quot;,&quot;next&quot;:&quot;/here/&quot;}',
    ],
    [
      'href',
      "{{ 'https://a/?b&c' | href }}{{ ' java\tscript:alert(1)' | href }}{{ '//a:b' | href }}",
      'https://a/?b&amp;c#//a:b',
    ],
    ['direction', "{{ 'he' | direction }}{{ 'zh-hans' | direction }}", 'rtlltr'],
  ]
  it.each(cases)('%s', async (_why, source, html) => {
    expect(await render(source, { ...host, mark: '\uE0000\uE001' })).toBe(html)
  })
})

describe('an element', () => {
  const cases: readonly [why: string, source: string, html: string][] = [
    ['shows the fallback of an empty slot', '{% element echo %} {% endelement %}', '[none|]'],
    ['needs no body', '{% element echo / %}', '[none|]'],
    ['takes its body', '{% element echo %}a{{ evil }}{% endelement %}', `[a${EVIL_HTML}|]`],
    [
      'takes slots, also inside of conditions',
      '{% element echo %}{% if evil %}{% slot side %}<i>{% endslot %}{% endif %}{% endelement %}',
      '[none|<i>]',
    ],
    [
      'hands its own slots on to another',
      '{% element outer %}body{% slot side %}side{% endslot %}{% endelement %}',
      '([body|side])',
    ],
    ['lets another fall back', '{% element outer / %}', '([none|-])'],
    [
      'is found inside of another body',
      '{% element echo %}{% element echo %}in{% slot side %}s{% endslot %}{% endelement %}{% slot side %}t{% endslot %}{% endelement %}',
      '[[in|s]|t]',
    ],
    [
      'reads attributes with either sign, filters in parentheses, tags as a list',
      "{% element hint a=(evil | upcase), tags: 'one, two ,' / %}",
      'plain &lt;SCRIPT&gt;&quot;&#39;&amp; test/page #one #two',
    ],
    ['cannot see variables of the page', '{% assign a = 1 %}{% element hint / %}', 'plain  test/page'],
    ['has a variant for the variable page_layout', '{% element hint / %}', 'entrance'],
  ]
  it.each(cases)('%s', async (why, source, html) => {
    const context = why.includes('page_layout') ? { ...host, page_layout: 'entrance' } : host
    expect((await render(source, context)).replace(/page\d+/, 'page')).toBe(html)
  })

  it('has a variant for the first layout that the page extends', async () => {
    await folder.write('test/base.html', "{% layout 'layouts/entrance' %}")
    const source = "{% layout 'test/base' %}{% block content %}<{% element hint / %}>{% endblock %}"
    expect(await render(source, { ...host, site: { name: 'S' }, messages: [] })).toContain('<entrance>')
  })
})

describe('a fault', () => {
  const cases: readonly [why: string, source: string, message: RegExp][] = [
    ['an unknown tag', 'a\n{% nonsense %}', /nonsense.*file:.*test\/page\d+\.html, line:2/s],
    ['an element that is not closed', '\n\n{% element p %}', /not closed.*line:3/s],
    ['an element that does not exist', '\n{% element nothing / %}', /elements\/nothing.*line:2/s],
    ['an unknown filter', '{{ 1 | nonsense }}', /nonsense.*line:1/s],
    ['an argument without a value', '{% t "x" name= %}', /expected a value.*line:1/s],
    ['a slot outside of any element', '{% slot a %}{% endslot %}', /slot must be in.*line:1/s],
    ['a form without the token', '{% csrf_token %}', /CSRF token.*line:1/s],
    ['a name that leads elsewhere', "{% include '../../package.json' %}", /not a valid template name.*line:1/s],
    ['an endless loop', '{% for a in (1..100000000) %}x{% endfor %}', /limit exceeded.*line:1/s],
  ]
  it.each(cases)('names file and line: %s', async (_why, source, message) => {
    await expect(render(source)).rejects.toThrow(message)
  })
})

describe('files', () => {
  it("of the project override the package's, in folder order", async () => {
    const first = await templateFolder({ 'elements/p.html': 'FIRST' })
    const second = await templateFolder({
      'elements/p.html': 'SECOND',
      'elements/hr.html': 'HR',
      'page.html': '{% element p / %}{% element hr / %}{% element h1 %}x{% endelement %}',
    })
    const html = await createTemplates({ folders: [first.path, second.path] }).page('page', {}, t)
    expect(html).toBe('FIRSTHR<h1 class="auth-h1">x</h1>\n')
    await first.remove()
    await second.remove()
  })
  it('of the project may have an extension of their own', async () => {
    const project = await templateFolder({ 'page.liquid': '{% element hr / %}', 'page.html': 'not this one' })
    const templates = createTemplates({ folders: [project.path], extension: 'liquid' })
    expect(await templates.page('page', {}, t)).toContain('<hr')
    await project.remove()
  })
  it('of text are not escaped, are trimmed, and may be missing', async () => {
    await folder.write(
      'mail.txt',
      "\n {{ evil }} {% t 'to {evil}' evil=evil %} {% setvar x %}{{ evil }}{% endsetvar %}{{ x }}\n\n",
    )
    const templates = createTemplates({ folders: [folder.path] })
    expect(await templates.text('mail', { evil: EVIL }, t)).toBe(`${EVIL} to ${EVIL} ${EVIL}`)
    expect(await templates.text('test/none', {}, t)).toBeNull()
    expect(await templates.optionalPage('test/none', {}, t)).toBeNull()
    await expect(templates.page('test/none', {}, t)).rejects.toThrow('test/none')
  })
  it('are cached, or reloaded every time', async () => {
    const kept = createTemplates({ folders: [folder.path] })
    const fresh = createTemplates({ folders: [folder.path], reload: true })
    await folder.write('changing.html', 'one')
    const both = async () => [await kept.page('changing', {}, t), await fresh.page('changing', {}, t)]
    expect(await both()).toEqual(['one', 'one'])
    await folder.write('changing.html', 'two')
    expect(await both()).toEqual(['one', 'two'])
  })
})
