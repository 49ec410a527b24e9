/** The texts of the gateway's own pages and mails, by language; those that the account pages have too are theirs. */
export const TRANSLATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    Invitation: 'Einladung',
    'You already have an account': 'Sie haben schon ein Konto',
    'This link creates a new account. To use it, sign out first, then open it again.':
      'Dieser Link legt ein neues Konto an. Melden Sie sich dafür zuerst ab und öffnen Sie ihn dann noch einmal.',
    'This invitation is over': 'Diese Einladung ist abgelaufen',
    'The link was used already, or it is too old. Ask for a new one.':
      'Der Link wurde schon verwendet oder ist zu alt. Bitten Sie um einen neuen.',
    'This invitation cannot be used any more.': 'Diese Einladung kann nicht mehr verwendet werden.',
    'You are invited to {site}': 'Einladung zu {site}',
    'You are invited to create an account at {site}. Open this link to choose a password:':
      'Sie sind eingeladen, ein Konto bei {site} anzulegen. Öffnen Sie diesen Link, um ein Passwort zu wählen:',
    'The link works once, for seven days. If you did not expect it, you can ignore this mail.':
      'Der Link gilt einmal und sieben Tage lang. Wenn Sie ihn nicht erwartet haben, können Sie diese E-Mail ignorieren.',
    'Staff need a second factor here. Until you have set one up, you have no rights of staff.':
      'Sie brauchen hier als Mitarbeiter einen zweiten Faktor. Bis Sie einen eingerichtet haben, haben Sie keine Mitarbeiterrechte.',
    'Your second factors were removed': 'Ihre zweiten Faktoren wurden entfernt',
    'Whoever runs {site} has removed the second factors of your account, and signed you out everywhere. Sign in with your password, and set them up again:':
      'Wer {site} betreibt, hat die zweiten Faktoren Ihres Kontos entfernt und Sie überall abgemeldet. Melden Sie sich mit Ihrem Passwort an und richten Sie sie neu ein:',
    'If you did not ask for it, change your password, and ask who runs the site.':
      'Wenn Sie nicht darum gebeten haben, ändern Sie Ihr Passwort und fragen Sie nach.',
    Demo: 'Demo',
    'This demo is over': 'Diese Demo ist beendet',
    'The link belongs to a demo that has ended. Start it again, and open the link that it prints.':
      'Der Link gehört zu einer Demo, die beendet ist. Starten Sie sie neu und öffnen Sie den Link, den sie nennt.',
  },
  es: {
    Invitation: 'Invitación',
    'You already have an account': 'Ya tiene una cuenta',
    'This link creates a new account. To use it, sign out first, then open it again.':
      'Este enlace crea una cuenta nueva. Para usarlo, cierre primero la sesión y vuelva a abrirlo.',
    'This invitation is over': 'Esta invitación ya no es válida',
    'The link was used already, or it is too old. Ask for a new one.':
      'El enlace ya se ha usado o es demasiado antiguo. Pida uno nuevo.',
    'This invitation cannot be used any more.': 'Esta invitación ya no se puede usar.',
    'You are invited to {site}': 'Invitación a {site}',
    'You are invited to create an account at {site}. Open this link to choose a password:':
      'Se le invita a crear una cuenta en {site}. Abra este enlace para elegir una contraseña:',
    'The link works once, for seven days. If you did not expect it, you can ignore this mail.':
      'El enlace sirve una sola vez, durante siete días. Si no lo esperaba, puede ignorar este correo.',
    'Staff need a second factor here. Until you have set one up, you have no rights of staff.':
      'El personal necesita aquí un segundo factor. Hasta que configure uno, no tiene derechos de personal.',
    'Your second factors were removed': 'Se han eliminado sus segundos factores',
    'Whoever runs {site} has removed the second factors of your account, and signed you out everywhere. Sign in with your password, and set them up again:':
      'Quien gestiona {site} ha eliminado los segundos factores de su cuenta y ha cerrado todas sus sesiones. Inicie sesión con su contraseña y vuelva a configurarlos:',
    'If you did not ask for it, change your password, and ask who runs the site.':
      'Si no lo ha pedido, cambie su contraseña y pregunte a quien gestiona el sitio.',
    Demo: 'Demostración',
    'This demo is over': 'Esta demostración ha terminado',
    'The link belongs to a demo that has ended. Start it again, and open the link that it prints.':
      'El enlace es de una demostración que ya terminó. Iníciela de nuevo y abra el enlace que muestra.',
  },
  fr: {
    Invitation: 'Invitation',
    'You already have an account': 'Vous avez déjà un compte',
    'This link creates a new account. To use it, sign out first, then open it again.':
      'Ce lien crée un nouveau compte. Pour l’utiliser, déconnectez-vous d’abord, puis ouvrez-le de nouveau.',
    'This invitation is over': 'Cette invitation n’est plus valable',
    'The link was used already, or it is too old. Ask for a new one.':
      'Le lien a déjà servi ou est trop ancien. Demandez-en un nouveau.',
    'This invitation cannot be used any more.': 'Cette invitation ne peut plus être utilisée.',
    'You are invited to {site}': 'Invitation à {site}',
    'You are invited to create an account at {site}. Open this link to choose a password:':
      'Vous êtes invité à créer un compte sur {site}. Ouvrez ce lien pour choisir un mot de passe :',
    'The link works once, for seven days. If you did not expect it, you can ignore this mail.':
      'Le lien sert une seule fois, pendant sept jours. Si vous ne l’attendiez pas, vous pouvez ignorer ce message.',
    'Staff need a second factor here. Until you have set one up, you have no rights of staff.':
      'Le personnel a besoin ici d’un second facteur. Tant que vous n’en avez pas configuré, vous n’avez pas les droits du personnel.',
    'Your second factors were removed': 'Vos seconds facteurs ont été supprimés',
    'Whoever runs {site} has removed the second factors of your account, and signed you out everywhere. Sign in with your password, and set them up again:':
      'Les responsables de {site} ont supprimé les seconds facteurs de votre compte et fermé toutes vos sessions. Connectez-vous avec votre mot de passe et configurez-les de nouveau :',
    'If you did not ask for it, change your password, and ask who runs the site.':
      'Si vous ne l’avez pas demandé, changez votre mot de passe et contactez les responsables du site.',
    Demo: 'Démo',
    'This demo is over': 'Cette démo est terminée',
    'The link belongs to a demo that has ended. Start it again, and open the link that it prints.':
      'Le lien est celui d’une démo qui est terminée. Relancez-la et ouvrez le lien qu’elle affiche.',
  },
  'zh-hans': {
    Invitation: '邀请',
    'You already have an account': '您已有账户',
    'This link creates a new account. To use it, sign out first, then open it again.':
      '此链接用于创建新账户。如要使用，请先退出登录，然后重新打开。',
    'This invitation is over': '此邀请已失效',
    'The link was used already, or it is too old. Ask for a new one.': '该链接已被使用或已过期，请索取新的链接。',
    'This invitation cannot be used any more.': '此邀请已无法使用。',
    'You are invited to {site}': '邀请您加入 {site}',
    'You are invited to create an account at {site}. Open this link to choose a password:':
      '邀请您在 {site} 创建账户。请打开此链接设置密码：',
    'The link works once, for seven days. If you did not expect it, you can ignore this mail.':
      '该链接仅可使用一次，七天内有效。如果这与您无关，请忽略此邮件。',
    'Staff need a second factor here. Until you have set one up, you have no rights of staff.':
      '此处的工作人员需要第二重验证。在设置之前，您没有工作人员权限。',
    'Your second factors were removed': '您的第二重验证已被移除',
    'Whoever runs {site} has removed the second factors of your account, and signed you out everywhere. Sign in with your password, and set them up again:':
      '{site} 的管理者已移除您账户的第二重验证，并已让您在所有设备上退出登录。请使用密码登录并重新设置：',
    'If you did not ask for it, change your password, and ask who runs the site.':
      '如果这不是您要求的，请修改密码并联系网站管理者。',
    Demo: '演示',
    'This demo is over': '此演示已结束',
    'The link belongs to a demo that has ended. Start it again, and open the link that it prints.':
      '该链接属于已结束的演示。请重新启动演示，并打开它显示的链接。',
  },
}
