// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/code_faults.h"
#include "core/message/explain.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_code_faults {

using namespace tidemark::diagnose;

class TstCodeFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatKeepsMemoryIsFound_data();
    void whatKeepsMemoryIsFound();
    void correctCodeIsNoFault_data();
    void correctCodeIsNoFault();
    void theAnswerNamesTheLine();
    void codeWithoutWantOfMemoryIsNoAnswer();
    void hostileCodeCostsItsLength();
};

void TstCodeFaults::whatKeepsMemoryIsFound_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("fault");
    QTest::addColumn<int>("line");
    QTest::newRow("a summed loss") << "for x, y in train_loader:\n"
                                      "    loss = criterion(model(x), y)\n"
                                      "    loss.backward()\n"
                                      "    running += loss\n"
                                   << "loss-kept" << 4;
    QTest::newRow("written out") << "for batch in loader:\n"
                                    "    err_loss = f(batch)\n"
                                    "    scaler.scale(err_loss).backward()\n"
                                    "    total = total + err_loss\n"
                                 << "loss-kept" << 4;
    QTest::newRow("a part of an output") << "for step, batch in enumerate(loader):\n"
                                            "    outputs = model(**batch)\n"
                                            "    (outputs.loss / 4).backward()\n"
                                            "    epoch_loss += outputs.loss.float()\n"
                                         << "loss-kept" << 4;
    QTest::newRow("in a list") << "for batch in loader:\n\tloss = step(batch)\n\tloss.backward()\n"
                                  "\thistory.append(loss)\n"
                               << "loss-kept" << 4;
    QTest::newRow("in a meter, in a sentence") << "I call meter.update(loss, n) after each batch."
                                               << "loss-kept" << 1;
    QTest::newRow("in a sentence") << "The loop has total_loss += loss :("
                                   << "loss-kept" << 1;
    QTest::newRow("endless")
        << "while(True):\n    loss = f()\n    loss.backward()\n    total_loss += loss\n"
        << "loss-kept" << 4;
    QTest::newRow("of a diff") << "+for b in loader:\n+    loss = f(b)\n+    loss.backward()\n"
                                  "+    total_loss += loss\n"
                               << "loss-kept" << 4;
    QTest::newRow("quoted") << "> for b in loader:\n>     loss = f(b)\n>     loss.backward()\n"
                               ">     total_loss += loss\n"
                            << "loss-kept" << 4;
    QTest::newRow("one of several models") << "models[0].eval()\nfor x in loader:\n"
                                              "    y = models[0](x)\n"
                                           << "evaluates-with-graph" << 3;
    QTest::newRow("a model's method")
        << "feats = []\nfor x in loader:\n    f = model.encode_image(x)\n"
           "    feats.append(f)\n"
        << "outputs-kept" << 4;
    QTest::newRow("of IPython") << "     11     loss.backward()\n---> 12     running_loss += loss\n"
                                << "loss-kept" << 2;
    QTest::newRow("in one line") << "for b in loader: total_loss += criterion(model(b), y)"
                                 << "loss-kept" << 1;
    QTest::newRow("outputs in a list") << "for x in loader:\n"
                                          "    z = encoder(x)\n"
                                          "    codes.append(z)\n"
                                       << "outputs-kept" << 3;
    QTest::newRow("outputs in a tensor") << "for x in loader:\n"
                                            "    feat = backbone(x)\n"
                                            "    bank = torch.cat((bank, feat))\n"
                                         << "outputs-kept" << 3;
    QTest::newRow("outputs without graph") << "with torch.no_grad():\n"
                                              "    for x in loader:\n"
                                              "        maps.append(model(x))\n"
                                           << "outputs-on-gpu" << 3;
    QTest::newRow("graphs switched off") << "torch.set_grad_enabled(False)\n"
                                            "for x in loader:\n"
                                            "    maps.append(model(x))\n"
                                         << "outputs-on-gpu" << 3;
    QTest::newRow("a retained graph")
        << "for x in data:\n    loss = f(x)\n    loss.backward(retain_graph=True)\n"
        << "retains-graph" << 3;
    QTest::newRow("second order") << "loss.backward(\n    create_graph=True,\n)\n"
                                  << "creates-graph" << 1;
    QTest::newRow("an evaluation") << "def validate(model, loader):\n"
                                      "    for x, y in loader:\n"
                                      "        pred = model(x)\n"
                                      "        hits += (pred.argmax(1) == y).sum().item()\n"
                                   << "evaluates-with-graph" << 3;
    QTest::newRow("model.eval() alone") << "model.eval()\nfor x in loader:\n    y = model(x)\n"
                                        << "evaluates-with-graph" << 3;
    QTest::newRow("a decoder loop") << "while ids.shape[1] < n:\n"
                                       "    logits = model(ids)\n"
                                       "    ids = torch.cat([ids, logits[:, -1:].argmax(-1)], 1)\n"
                                    << "generates-with-graph" << 3;
    QTest::newRow("a model per fold") << "for fold in folds:\n"
                                         "    model = UNet(3).to(device)\n"
                                         "    fit(model, fold)\n"
                                      << "model-in-loop" << 2;
    QTest::newRow("a Dataset") << "class Clips(Dataset):\n"
                                  "    def __getitem__(self, i):\n"
                                  "        return self.x[i].cuda()\n"
                               << "gpu-in-dataset" << 3;
    QTest::newRow("a checkpoint") << "ckpt = torch.load(path)\nmodel.load_state_dict(ckpt)\n"
                                  << "loads-on-gpu" << 1;
    QTest::newRow("a checkpoint on the GPU")
        << "ckpt = torch.load(\n    path,\n    map_location=device)\n"
        << "loads-on-gpu" << 1;
    QTest::newRow("DataParallel") << "net = torch.nn.DataParallel(net)"
                                  << "data-parallel" << 1;
    QTest::newRow("a state") << "for x in batches:\n"
                                "    y, hidden = rnn(x, hidden)\n"
                                "    loss = f(y)\n"
                                "    loss.backward(retain_graph=True)\n"
                             << "state-carried" << 2;
    QTest::newRow("attention") << "w = (q @ k.transpose(-2, -1)) * scale"
                               << "attention-matrix" << 1;
    QTest::newRow("attention by matmul") << "scores = torch.matmul(query, key.transpose(2, 3)) / 8"
                                         << "attention-matrix" << 1;
    QTest::newRow("attention by einsum") << "s = torch.einsum('bnd,bmd->bnm', queries, keys)"
                                         << "attention-matrix" << 1;
}

void TstCodeFaults::whatKeepsMemoryIsFound()
{
    QFETCH(QString, code);
    QFETCH(QString, fault);
    QFETCH(int, line);
    const auto hits = codeFaults(code.toStdString());
    const auto hit =
        std::ranges::find(hits, codeFaultOf(fault.toStdString()).value(), &CodeHit::fault);
    QVERIFY(hit != hits.end());
    QCOMPARE(hit->line_number, std::int64_t(line));
}

void TstCodeFaults::correctCodeIsNoFault_data()
{
    QTest::addColumn<QString>("code");
    QTest::newRow("numbers") << "for x, y in loader:\n"
                                "    loss = criterion(model(x), y)\n"
                                "    loss.backward()\n"
                                "    total_loss += loss.item()\n"
                                "    losses.append(float(loss))\n"
                                "    meter.update(loss.item(), n)\n";
    QTest::newRow("a name that is a number") << "for x in loader:\n"
                                                "    loss = criterion(model(x))\n"
                                                "    loss.backward()\n"
                                                "    loss = loss.detach()\n"
                                                "    total_loss += loss\n";
    QTest::newRow("a loss of parts") << "for x in loader:\n"
                                        "    total_loss = 0\n"
                                        "    for head in heads:\n"
                                        "        total_loss += criterion(head(x), y)\n"
                                        "    total_loss.backward()\n";
    QTest::newRow("a list that is summed") << "for x in loader:\n"
                                              "    for t in range(4):\n"
                                              "        losses.append(criterion(model(x), t))\n"
                                              "    loss = sum(losses) / len(losses)\n"
                                              "    loss.backward()\n";
    QTest::newRow("an attribute that is summed") << "for x in loader:\n"
                                                    "    self.total_loss = 0\n"
                                                    "    for part in batches:\n"
                                                    "        self.total_loss += f_loss(part)\n"
                                                    "    self.total_loss.backward()\n";
    QTest::newRow("the mean of a sum") << "for x in loader:\n"
                                          "    for part in batches:\n"
                                          "        total_loss += criterion(model(part), y)\n"
                                          "    loss = total_loss.mean()\n"
                                          "    loss.backward()\n";
    QTest::newRow("a sum in a sum") << "for x in loader:\n"
                                       "    for part in batches:\n"
                                       "        total_aux += criterion(model(part), y)\n"
                                       "    loss += total_aux\n"
                                       "    loss.backward()\n";
    QTest::newRow("a part under a condition") << "for x in loader:\n"
                                                 "    loss = criterion(model(x))\n"
                                                 "    if self.training: loss += self.aux_loss\n"
                                                 "    loss.backward()\n";
    QTest::newRow("a loss function") << "def multi(outs, targets):\n"
                                        "    total_loss = 0.\n"
                                        "    for o, t in zip(outs, targets):\n"
                                        "        total_loss += F.mse_loss(o, t)\n"
                                        "    return total_loss\n";
    QTest::newRow("a loss per sample") << "def multi(outs, batch_size):\n"
                                          "    for i in range(batch_size):\n"
                                          "        total_loss += mse_loss(outs[i])\n"
                                          "    return total_loss\n";
    QTest::newRow("a policy gradient") << "for obs in episode:\n"
                                          "    dist = policy(obs)\n"
                                          "    log_probs.append(dist.log_prob(a))\n"
                                          "loss = -torch.stack(log_probs).sum()\n"
                                          "loss.backward()\n";
    QTest::newRow("a dict of losses") << "losses = {}\n"
                                         "losses.update(detector_losses)\n"
                                         "losses.update(loss_dict)\n";
    QTest::newRow("a forward") << "class Net(nn.Module):\n"
                                  "    def forward(self, x):\n"
                                  "        for blk in self.blocks:\n"
                                  "            feats.append(self.encoder(x))\n"
                                  "        return feats\n";
    QTest::newRow("under no_grad") << "with torch.no_grad():\n"
                                      "    for x in loader:\n"
                                      "        out = model(x)\n"
                                      "        preds.append(out.cpu())\n"
                                      "        total_loss += criterion(out, y)\n";
    QTest::newRow("decorated") << "@torch.no_grad()\ndef evaluate(model, loader):\n"
                                  "    model.eval()\n"
                                  "    for x in loader:\n"
                                  "        preds.append(model(x).argmax(-1).tolist())\n";
    QTest::newRow("an attack") << "model.eval()\nfor x in loader:\n"
                                  "    loss = criterion(model(x), y)\n"
                                  "    loss.backward()\n";
    QTest::newRow("a teacher's eval()") << "teacher.eval()\n"
                                           "for x in loader:\n"
                                           "    for t in range(4):\n"
                                           "        pred = model(x, t)\n"
                                           "    pred.sum().backward()\n";
    QTest::newRow("Lightning's steps") << "def validation_step(self, batch, i):\n"
                                          "    return self.model(batch)\n";
    QTest::newRow("the first of two backwards")
        << "d_loss.backward(retain_graph=True)\ng_loss.backward()\n";
    QTest::newRow("a state that is cut") << "for x in batches:\n"
                                            "    hidden = tuple(h.detach() for h in hidden)\n"
                                            "    y, hidden = rnn(x, hidden)\n"
                                            "    f(y).backward()\n";
    QTest::newRow("a state of one sequence") << "for seq in batches:\n"
                                                "    hidden = net.init_hidden(8)\n"
                                                "    y, hidden = rnn(seq, hidden)\n"
                                                "    f(y).backward()\n";
    QTest::newRow("dropped models") << "for fold in folds:\n"
                                       "    model = UNet(3).to(device)\n"
                                       "    fit(model, fold)\n"
                                       "    del model\n";
    QTest::newRow("loads on the CPU") << "a = torch.load(p, map_location='cpu')\n"
                                         "b = torch.load(p, \"cpu\")\n"
                                         "c = torch.load(p, map_location=lambda s, l: s)\n";
    QTest::newRow("DDP") << "net = nn.parallel.DistributedDataParallel(net, [rank])";
    QTest::newRow("a Dataset of the CPU") << "class Clips(Dataset):\n"
                                             "    def __getitem__(self, i):\n"
                                             "        return torch.load(self.paths[i])\n";
    QTest::newRow("other products") << "y = x @ w.T\nz = torch.matmul(a, b.transpose(0, 1))\n";
    QTest::newRow("prose") << "for example: the loss and total memory += 3 GB (I think\n"
                              "with batch size 8 it runs:\n  no output, no loss.\n";
}

void TstCodeFaults::correctCodeIsNoFault()
{
    QFETCH(QString, code);
    const auto hits = codeFaults(code.toStdString());
    QVERIFY2(hits.empty(), hits.empty() ? "" : hits.front().line.c_str());
}

void TstCodeFaults::theAnswerNamesTheLine()
{
    const Explanation e = explain("Runs out of memory after an hour:\n```python\n"
                                  "for x, y in loader:\n    loss = criterion(net(x), y)\n"
                                  "    loss.backward()\n    sum_of_loss += loss\n```\n");
    QCOMPARE(e.causes.front().cause, Cause::leak);
    QCOMPARE(e.trap->id, std::string("leak-loss-sum"));
    QVERIFY(std::ranges::any_of(e.causes.front().evidence, [](const Evidence& evidence) {
        return evidence.text == "Line 6: sum_of_loss += loss";
    }));
}

void TstCodeFaults::codeWithoutWantOfMemoryIsNoAnswer()
{
    const Explanation e = explain("for x, y in loader:\n    loss = criterion(net(x), y)\n"
                                  "    loss.backward()\n    total += loss\n"
                                  "The accuracy stays at 10 %, why?\n");
    QVERIFY(!e.trap);
    QCOMPARE(e.causes.front().cause, Cause::none);
}

void TstCodeFaults::hostileCodeCostsItsLength()
{
    std::string deep;
    for (int i = 0; i < 240; ++i) {
        deep += std::string(static_cast<std::size_t>(i), ' ') + "for x in loader:\n";
    }
    std::string sums = "for x in loader:\n";
    for (int i = 0; i < 1200; ++i) {
        sums += " loss" + std::to_string(i) + " += loss" + std::to_string(i + 1) + "\n";
    }
    for (const std::string& text :
         {deep, sums, std::string(29'000, '('), std::string(29'000, '['), std::string(29'000, '@'),
          "a" + std::string(29'000, '='), std::string(14'000, 'q') + "@" + std::string(14'000, 'k'),
          "x.append(" + std::string(29'000, ','), std::string(29'000, '"'), std::string("x=\n(\n"),
          std::string("for x in loader:\n net = device.MyNet"),
          "\xff\xfe" + std::string(1000, '\0')}) {
        QVERIFY(codeFaults(text).size() < 20);
    }
}

TIDEMARK_TEST(TstCodeFaults)

} // namespace tidemark::tst_code_faults

#include "tst_code_faults.moc"
