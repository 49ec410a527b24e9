import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { ADA, member, signUp } from '../../testing/effects/effect.ts'
import { type TemplateFolder, templateFolder } from '../../testing/template-folder.ts'
import { TOURS } from '../../testing/tour.ts'

const PACKAGE = fileURLToPath(new URL('../../../templates/', import.meta.url))
const listShippedFiles = (folder: string): readonly string[] =>
  readdirSync(`${PACKAGE}${folder}`).map((file) => `${folder}/${file}`)

let world: AuthWorld
let folder: TemplateFolder
afterEach(async () => {
  await world.close()
  await folder.remove()
})

type Options = NonNullable<Parameters<typeof authWorld>[0]>
async function open(files: Readonly<Record<string, string>>, options: Options = {}): Promise<void> {
  folder = await templateFolder(files)
  world = await authWorld({ ...options, templates: { folders: [folder.path] } })
}

describe('templates of a project', () => {
  const files = ['account', 'account/email', 'account/messages']
    .flatMap(listShippedFiles)
    .filter((file) => /\.\w+$/.test(file))
  const links = '{{ activate_url }}{{ password_reset_url }}\n\n    {{ code }}'
  const own = { ...Object.fromEntries(files.map((file) => [file, `our ${file} ${links}`])), '429.html': 'our 429.html' }

  it.each(Object.entries(TOURS))('win over the shipped ones: %s', async (_why, { settings, adapter = {}, walk }) => {
    await open(own, { settings, adapters: { account: adapter } })
    const { templates } = world.auth.kernel
    const [page, text] = [vi.spyOn(templates, 'page'), vi.spyOn(templates, 'text')]
    await walk(world)
    const rendered = [page, text].flatMap(({ mock }) =>
      mock.calls.map(([name], at) => [name, mock.settledResults[at]?.value] as const),
    )
    expect(rendered.length).toBeGreaterThan(0)
    for (const [name, output] of rendered) expect(output).toMatch(new RegExp(`^our ${name}\\.(html|txt)`))
  })

  it.each(listShippedFiles('elements'))('can be the only override: %s', async (file) => {
    const element = file.replace(/^elements\/(.*)\.html$/, '$1')
    await open({
      'account/account_inactive.html': `{% layout 'account/base_entrance' %}{% block content %}{% element ${element} %}x{% endelement %}{% endblock %}`,
      [file]: `<our-${element}>{% slot %}{% endslot %}</our-${element}>`,
    })
    expect((await world.visitor().get('/accounts/inactive/')).html).toContain(`<our-${element}>x</our-${element}>`)
  })

  it.each([
    [
      'layouts/base.html',
      '/accounts/login/',
      '<body>our frame {% block body %}{% block content %}{% endblock %}{% endblock %}',
    ],
    ['layouts/entrance.html', '/accounts/login/', '<body>our frame {% block content %}{% endblock %}'],
    ['layouts/manage.html', '/accounts/email/', '<body>our frame {% block content %}{% endblock %}'],
    ['account/base.html', '/accounts/login/', '<body>our frame {% block content %}{% endblock %}'],
    ['account/base.html', '/accounts/email/', '<body>our frame {% block content %}{% endblock %}'],
    ['account/base_entrance.html', '/accounts/login/', '<body>our frame {% block content %}{% endblock %}'],
    ['account/base_manage.html', '/accounts/email/', '<body>our frame {% block content %}{% endblock %}'],
    ['account/base_manage_email.html', '/accounts/email/', '<body>our frame {% block content %}{% endblock %}'],
    [
      'account/base_manage_password.html',
      '/accounts/password/change/',
      '<body>our frame {% block content %}{% endblock %}',
    ],
    [
      'account/base_reauthenticate.html',
      '/accounts/reauthenticate/',
      '<body>our frame {% block content %}{% endblock %}',
    ],
    ['account/password_reset_help_text.html', '/accounts/login/', 'our frame'],
    ['account/snippets/form.html', '/accounts/login/', 'our frame'],
    ['account/snippets/form.html', '/accounts/signup/', 'our frame'],
    ['account/snippets/form.html', '/accounts/password/change/', 'our frame'],
    ['account/snippets/form.html', '/accounts/password/reset/', 'our frame'],
    ['account/snippets/form.html', '/accounts/reauthenticate/', 'our frame'],
    ['account/snippets/honeypot.html', '/accounts/signup/', 'our frame'],
  ])('can be the only override: %s', async (file, path, source) => {
    await open({ [file]: source }, { settings: { account: { authenticatedLoginRedirects: false } } })
    expect((await (await member(world)).get(path)).html).toContain('our frame')
  })

  it('replace the frame of social login with socialaccount/base', async () => {
    await open(
      { 'socialaccount/base.html': '<body>our frame {% block content %}{% endblock %}' },
      { settings: { socialaccount: { enabled: true } } },
    )
    expect((await (await member(world)).get('/accounts/3rdparty/')).html).toContain('our frame')
    expect((await world.visitor().get('/accounts/3rdparty/login/cancelled/')).html).toContain('our frame')
  })

  it('may have an ending of their own, pages and mails', async () => {
    const files = {
      'account/login.liquid': 'our page',
      'account/email/email_confirmation_signup_message.liquid': 'our mail',
    }
    await open(files, { settings: { account: { templateExtension: 'liquid' } } })
    expect((await world.visitor().get('/accounts/login/')).html).toBe('our page')
    await signUp(world.visitor())
    expect((await world.mailTo(ADA.email)).html).toBe('our mail')
  })

  it('may silence a message', async () => {
    await open({ 'account/messages/logged_in.txt': ' ' })
    expect((await (await member(world)).get('/accounts/email/')).text).not.toContain("You're signed in as")
  })
})

describe('the tags of the contract', () => {
  const TAGS =
    '{% load allauth_tags %}{% load user_verified from allauth_tags %}{% load account socialaccount %}{% user_verified user as verified %}{% if verified %}verified{% else %}not verified{% endif %}' +
    '{% socialaccount_providers as providers %}, {{ providers.size }} providers, ' +
    "at <{% provider_login_url 'github' process='login' %}>"

  it.each([
    [true, 'verified, 0 providers, at <>'],
    [false, 'not verified, 0 providers, at <>'],
  ])("show whether a user's address is verified: %s", async (verified, shown) => {
    await open({ 'account/account_inactive.html': TAGS })
    expect((await (await member(world, { ...ADA, verified })).get('/accounts/inactive/')).html).toBe(shown)
  })

  it('come from a known library', async () => {
    await open({ 'account/account_inactive.html': '{% load crispy_forms_tags %}' })
    const answer = await world.visitor().get('/accounts/inactive/')
    expect(answer.status).toBe(500)
    expect(JSON.stringify(world.logged.map(({ fields }) => String(fields['error'])))).toContain(
      'unknown tag library \\"crispy_forms_tags\\"; known: allauth_tags',
    )
  })

  it('work for strangers, in mails and in messages', async () => {
    await open({
      'account/account_inactive.html': TAGS,
      'account/messages/email_confirmation_sent.txt': TAGS,
      'account/email/email_confirmation_signup_message.txt': TAGS,
    })
    expect((await world.visitor().get('/accounts/inactive/')).html).toBe('not verified, 0 providers, at <>')
    const ada = world.visitor()
    await signUp(ada)
    expect((await world.mailTo(ADA.email)).text).toBe('not verified, 0 providers, at <>')
    expect((await ada.get('/accounts/email/')).text).toContain('not verified, 0 providers')
  })
})
